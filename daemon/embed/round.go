package embed

import "errors"

const (
	// checkpoint is how many new vectors are saved before the round ends, so that a crash
	// does not lose a whole large catalogue.
	checkpoint = 2048
	// refusals is how many requests of one round may be rejected while the faulty texts
	// are searched for.
	refusals = 32
)

// errDimension ends an attempt whose vectors do not fit those held.
var errDimension = errors.New("the model's vectors changed their dimension")

// round completes the vectors of a job's texts and publishes them. It keeps what was
// embedded in any case.
func (s *Store) round(current job) error {
	asked := current.provider.Space()
	if s.held.asked != asked || current.outdated {
		s.held = newHoldings(asked)
	}
	err := s.complete(current, !current.outdated)
	if errors.Is(err, errDimension) {
		// The model behind the name was replaced, so old vectors are useless.
		s.log.Info("all texts are embedded again", "reason", err, "space", asked.String())
		s.held = newHoldings(asked)
		err = s.complete(current, false)
	}
	if errors.Is(err, errDimension) {
		err = &Error{
			Provider: asked.Provider, Endpoint: asked.Endpoint, Kind: Dimension,
			Cause: "the model answers with vectors of different dimensions",
		}
	}
	if s.superseded(current) {
		return errSuperseded
	}
	if err != nil {
		s.report(current, reasonOf(err))
		return err
	}
	return s.deliver(current)
}

// complete fetches what is missing from the cache, if that may be used, and
// from the provider.
func (s *Store) complete(current job, cached bool) error {
	wanted := s.held.distinct(current.texts.list)
	if cached && len(s.held.missing(current.texts.list)) > 0 {
		dim, all := s.cache.load(s.held.asked)
		s.held.recall(dim, all, wanted)
	}
	err := s.fetch(current, s.held.missing(current.texts.list))
	s.save()
	s.held.keep(wanted)
	return err
}

// save writes new vectors to disk. After a failure, they are embedded again at the next
// start.
func (s *Store) save() {
	if len(s.held.unsaved) == 0 {
		return
	}
	if err := s.cache.save(s.held.asked, s.held.dim, s.held.unsaved); err != nil {
		s.log.Warn("vectors cannot be kept for the next start", "error", err)
	}
	s.held.unsaved = records{}
}

// fetch embeds the missing texts.
func (s *Store) fetch(current job, missing []string) error {
	if len(missing) == 0 {
		return nil
	}
	s.report(current, ReasonNew)
	rejected := 0
	return fan(current.ctx, current.provider, missing, func(answer answer) ([][]string, error) {
		if kindOf(answer.err) == Rejected && answer.err != nil {
			if rejected++; rejected > refusals {
				return nil, answer.err
			}
			return s.narrow(answer)
		}
		if answer.err != nil {
			return nil, answer.err
		}
		if !s.held.add(answer.texts, answer.vectors) {
			return nil, errDimension
		}
		if len(s.held.unsaved) >= checkpoint {
			s.save()
		}
		if s.superseded(current) {
			return nil, errSuperseded
		}
		return nil, nil
	})
}

// narrow splits a rejected batch to find the faulty texts. It gives up a single text,
// unless no other was ever accepted: then the model, the key or the address is at fault.
func (s *Store) narrow(rejected answer) ([][]string, error) {
	if n := len(rejected.texts); n > 1 {
		return [][]string{rejected.texts[:n/2], rejected.texts[n/2:]}, nil
	}
	if s.held.dim == 0 {
		return nil, rejected.err
	}
	s.log.Warn("a tool is ranked without a vector: the provider refuses its text", "error", rejected.err)
	s.held.refused[keyOf(s.held.asked, rejected.texts[0])] = true
	return nil, nil
}

// deliver publishes the vectors of a completed job.
func (s *Store) deliver(current job) error {
	space := s.held.asked
	space.Dim = s.held.dim
	vectors := &Vectors{texts: current.texts, space: space, rows: s.held.rows(current.texts.list)}
	if !s.publish(current, vectors) {
		return errSuperseded
	}
	if s.published != nil {
		s.published(vectors)
	}
	s.log.Info("vectors are complete", "space", space.String(), "texts", len(vectors.rows))
	return nil
}
