package embed

import (
	"context"
	"errors"
	"time"
)

// job is one attempt to complete the vectors of the newest texts.
type job struct {
	ctx      context.Context //nolint:containedctx // the round's own lifetime: ended by Close and by SetProvider
	provider Provider
	texts    *texts
	// outdated is set if nothing stored of the provider may be used.
	outdated bool
}

// errSuperseded ends a round whose provider or texts are no longer wanted.
var errSuperseded = errors.New("superseded by newer texts or another provider")

// run is the store's goroutine: round after round while there is work, with a
// growing pause after a failure.
func (s *Store) run(ctx context.Context) {
	defer close(s.done)
	pause := newPause()
	for ctx.Err() == nil {
		current, ok := s.next(ctx)
		if !ok {
			s.sleep(ctx)
			continue
		}
		err := s.round(current)
		switch {
		case err == nil:
			pause.Reset()
		case !errors.Is(err, errSuperseded):
			wait := max(pause.NextBackOff(), retryAfter(err))
			s.log.Warn("the catalogue is ranked by the built-in model", "error", err, "retry", wait)
			s.tellRefusal(current.provider, err)
			s.rest(ctx, current.provider, wait)
		}
	}
}

// next returns the next job, if there is one.
func (s *Store) next(ctx context.Context) (job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop() // releases the former round's context
	s.stop = func() {}
	if s.provider == nil || s.wanted == nil || s.vectors != nil && s.vectors.texts == s.wanted {
		return job{}, false
	}
	ctx, s.stop = context.WithCancel(ctx)
	current := job{ctx: ctx, provider: s.provider, texts: s.wanted, outdated: s.outdated}
	s.outdated = false
	return current, true
}

// sleep waits for work.
func (s *Store) sleep(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.wake:
	}
}

// rest waits after a failure. New texts do not shorten it; another provider does.
func (s *Store) rest(ctx context.Context, failed Provider, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case <-s.wake:
		}
		s.mu.Lock()
		same := s.provider == failed
		s.mu.Unlock()
		if !same {
			return
		}
	}
}

// superseded reports whether a job's result is no longer wanted.
func (s *Store) superseded(current job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return current.ctx.Err() != nil || s.provider != current.provider || s.wanted != current.texts
}

// report records why a job's vectors are not complete, unless it is superseded.
func (s *Store) report(current job, incomplete Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provider == current.provider && s.wanted == current.texts {
		s.incomplete = incomplete
	}
}

// publish makes a job's vectors the current ones, unless it is superseded.
func (s *Store) publish(current job, vectors *Vectors) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provider != current.provider || s.wanted != current.texts || s.outdated {
		return false
	}
	if s.vectors == nil || s.vectors.space != vectors.space {
		s.queries = newMemo()
	}
	s.vectors = vectors
	s.incomplete = ReasonNone
	return true
}

// tellRefusal reports the first refusal of the key by the current provider.
func (s *Store) tellRefusal(provider Provider, err error) {
	s.mu.Lock()
	first := kindOf(err) == Auth && s.provider == provider && !s.reported
	s.reported = s.reported || first
	s.mu.Unlock()
	if first && s.refused != nil {
		s.refused()
	}
}
