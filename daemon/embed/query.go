package embed

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// Query embeds a task's query for comparison with vectors: those of the corpus to rank,
// or nil. It returns within the deadline: a unit vector of the same space and
// [ReasonNone], or nil and the reason why the built-in model has to rank. Without a
// provider, or with nothing to compare, it returns nil and ReasonNone.
func (s *Store) Query(ctx context.Context, vectors *Vectors, text string) ([]float32, Reason) {
	text = tidy(text)
	provider, known, reason := s.prepare(vectors, text)
	if provider == nil {
		return known, reason
	}
	timed, cancel := context.WithTimeout(ctx, s.wait())
	defer cancel()
	answer, err := provider.Embed(timed, ForQuery, []string{text})
	if err != nil && ctx.Err() != nil {
		return nil, ReasonSlow // the caller cancelled; that says nothing about the provider
	}
	if err != nil {
		s.tellRefusal(provider, err)
	}
	return s.conclude(provider, vectors, text, answer, err)
}

// prepare returns the provider if it has to be called, or else the result.
func (s *Store) prepare(vectors *Vectors, text string) (Provider, []float32, Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.provider == nil:
		return nil, nil, ReasonNone
	case vectors == nil || s.vectors == nil || s.vectors.space != vectors.space:
		return nil, nil, cmp.Or(s.incomplete, ReasonNew)
	case text == "" || vectors.space.Dim == 0:
		return nil, nil, ReasonNone
	}
	if known, ok := s.queries.get(text); ok {
		return nil, known, ReasonNone
	}
	if reason := s.breaker.open(time.Now()); reason != ReasonNone {
		return nil, nil, reason
	}
	return s.provider, nil, ReasonNone
}

// conclude records the result of a query.
func (s *Store) conclude(provider Provider, vectors *Vectors, text string, answer [][]float32, err error) ([]float32, Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provider != provider {
		return nil, ReasonNew
	}
	if err != nil {
		reason := reasonOf(err)
		if errors.Is(err, context.DeadlineExceeded) {
			reason = ReasonSlow
		}
		s.breaker.fail(time.Now(), reason, retryAfter(err))
		s.log.Debug("a query is ranked by the built-in model", "reason", reason, "error", err)
		return nil, reason
	}
	s.breaker.succeed()
	if len(answer[0]) != vectors.space.Dim {
		s.renew(vectors.space)
		return nil, ReasonDimension
	}
	s.queries.put(text, answer[0])
	return answer[0], ReasonNone
}

// renew withdraws the vectors of a space that the model no longer has, and causes the
// texts to be embedded again. Callers must hold mu.
func (s *Store) renew(space Space) {
	if s.vectors == nil || s.vectors.space != space {
		return
	}
	s.vectors, s.outdated, s.queries = nil, true, newMemo()
	s.incomplete = ReasonDimension
	s.notify()
}
