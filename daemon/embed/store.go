package embed

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Options configures a [Store].
type Options struct {
	// Dir is where vectors are stored. It is created when needed; "" keeps them in
	// memory.
	Dir string
	// Published is called when the vectors of the newest texts are complete, in order,
	// from the store's goroutine. It must not wait for the store. May be nil.
	Published func(*Vectors)
	// Refused is called when a provider refuses its key, once per provider set. It must
	// not block. May be nil.
	Refused func()
	// Log receives events that users cannot act on at once; nil discards them.
	Log *slog.Logger
}

// Store keeps the vectors of the newest catalogue version up to date, and embeds queries.
// Safe for concurrent use. No method blocks except Query, which waits up to its deadline,
// and Close.
type Store struct {
	published func(*Vectors)
	refused   func()
	log       *slog.Logger
	// cache and held belong to the store's goroutine.
	cache cache
	held  holdings
	// wake signals the store's goroutine that there may be work.
	wake chan struct{}
	// cancel ends the store's life; done is closed when its goroutine ended.
	cancel context.CancelFunc
	done   chan struct{}

	// mu guards the following fields. It is never held while waiting for the provider,
	// the disk or a callback.
	mu sync.Mutex
	// deadline is the timeout of a query's embedding.
	deadline time.Duration
	// provider is nil if the built-in model ranks.
	provider Provider
	// stop cancels the running round.
	stop context.CancelFunc
	// wanted is the newest catalogue version, nil before the first.
	wanted *texts
	// vectors is the last published value for provider; nil before that.
	vectors *Vectors
	// outdated is set if the model changed its dimension, so nothing stored of it may be
	// used.
	outdated bool
	// reported is set once the provider's refusal of the key was reported.
	reported bool
	// incomplete is why the vectors of wanted are not complete; ReasonNew while they are
	// being embedded, ReasonNone once they are published.
	incomplete Reason
	breaker    breaker
	queries    memo
}

// texts are the texts of one catalogue version.
type texts struct {
	version uint64
	list    []string
}

// Open starts a store. It has no provider and no texts yet.
func Open(options Options) *Store {
	ctx, cancel := context.WithCancel(context.Background())
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Store{
		deadline:  150 * time.Millisecond,
		published: options.Published,
		refused:   options.Refused,
		log:       log,
		cache:     cache{dir: options.Dir, most: maxCacheBytes, log: log},
		wake:      make(chan struct{}, 1),
		cancel:    cancel,
		done:      make(chan struct{}),
		stop:      func() {},
		breaker:   newBreaker(),
		queries:   newMemo(),
	}
	go s.run(ctx)
	return s
}

// Close stops all work and waits for it. It keeps what was embedded so far.
func (s *Store) Close() {
	s.cancel()
	<-s.done
}

// SetProvider switches to another provider, or to the built-in model with nil. It
// abandons work for the former one, drops its published vectors, and embeds the newest
// texts with the new one.
func (s *Store) SetProvider(provider Provider) {
	s.mu.Lock()
	s.provider, s.vectors, s.outdated, s.reported = provider, nil, false, false
	s.incomplete = ReasonNew
	s.breaker, s.queries = newBreaker(), newMemo()
	stop := s.stop
	s.mu.Unlock()
	stop()
	s.notify()
}

// SetTexts sets the texts of a new catalogue version, one per document. Texts that are
// not cached are embedded in the background, then all are published. An incomplete
// earlier version is skipped; its running batches are finished and used.
func (s *Store) SetTexts(version uint64, list []string) {
	s.mu.Lock()
	s.wanted = &texts{version: version, list: slices.Clone(list)}
	s.incomplete = ReasonNew
	s.mu.Unlock()
	s.notify()
}

// ClearCache deletes the vectors on disk. Those in memory stay in use, and are not
// written again.
func (s *Store) ClearCache() error { return s.cache.clear() }

// SetDeadline changes the timeout of a query's embedding.
func (s *Store) SetDeadline(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = d
}

// wait returns the timeout of a query's embedding.
func (s *Store) wait() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deadline
}

// notify wakes the store's goroutine without blocking.
func (s *Store) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
