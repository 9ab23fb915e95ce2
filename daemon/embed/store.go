package embed

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Options configures a [Store].
type Options struct {
	// Dir is where vectors are kept. It is made when needed; without one they
	// are kept in memory.
	Dir string
	// MaxBytes bounds the files in Dir together; 0 means 256 MiB, room for
	// 40,000 vectors of dimension 1,536.
	MaxBytes int64
	// Deadline is how long a query's embedding is waited for; 0 means 150 ms.
	Deadline time.Duration
	// Published is called when the vectors of the newest texts are complete,
	// in order, from the store's goroutine: it must not wait for the store. It
	// may be nil.
	Published func(*Vectors)
	// Refused is called when a provider refuses its key, once for each that is
	// set. It must not wait for anything. It may be nil.
	Refused func()
	// Log gets what users cannot be asked to act on at once; nil discards it.
	Log *slog.Logger
}

// Store keeps the vectors of the newest catalogue version up to date, and
// embeds queries. All methods are safe for concurrent use and return at once,
// but Query, which waits up to its deadline, and Close.
type Store struct {
	published func(*Vectors)
	refused   func()
	log       *slog.Logger
	// cache and held belong to the store's goroutine.
	cache cache
	held  holdings
	// wake tells the store's goroutine that there may be work.
	wake chan struct{}
	// cancel ends the store's life; done is closed when its goroutine ended.
	cancel context.CancelFunc
	done   chan struct{}

	// mu guards what follows. It is never held while the provider, the disk or
	// a callback is waited for.
	mu sync.Mutex
	// deadline is how long a query's embedding is waited for.
	deadline time.Duration
	// provider is nil when the built-in model ranks.
	provider Provider
	// stop cancels the round that is running for an earlier provider.
	stop context.CancelFunc
	// wanted is the newest catalogue version, nil before the first.
	wanted *texts
	// vectors is what was published last for provider, nil before that.
	vectors *Vectors
	// outdated is set when the model changed its dimension, so that nothing
	// kept of it may be used.
	outdated bool
	// told is set once the refusal of the key by provider was reported.
	reported bool
	// progress is how far the vectors of wanted are.
	progress progress
	breaker  breaker
	queries  memo
}

// texts are the texts of one catalogue version.
type texts struct {
	version uint64
	list    []string
}

// progress is the state of the vectors of the wanted texts.
type progress struct {
	// reason is why they are not complete: ReasonNew while they are being embedded.
	reason Reason
	// err is the last failure, nil while there is none.
	err         error
	done, total int
}

// Open starts a store. It has no provider and no texts yet.
func Open(options Options) *Store {
	ctx, cancel := context.WithCancel(context.Background())
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Store{
		deadline:  cmp.Or(options.Deadline, 150*time.Millisecond),
		published: options.Published,
		refused:   options.Refused,
		log:       log,
		cache:     cache{dir: options.Dir, most: cmp.Or(options.MaxBytes, 256<<20), log: log},
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

// Close stops all work and waits for it. What was embedded so far is kept.
func (s *Store) Close() {
	s.cancel()
	<-s.done
}

// SetProvider switches to another provider, or to the built-in model with nil.
// Work for the former one is abandoned, its published vectors are forgotten,
// and the newest texts are embedded by the new one.
func (s *Store) SetProvider(provider Provider) {
	s.mu.Lock()
	s.provider, s.vectors, s.outdated, s.reported = provider, nil, false, false
	s.progress = progress{reason: ReasonNew}
	s.breaker, s.queries = newBreaker(), newMemo()
	stop := s.stop
	s.mu.Unlock()
	stop()
	s.notify()
}

// SetTexts names the texts of a new catalogue version, one for each document.
// Those that are not cached are embedded in the background, then all are
// published. A version that is not complete yet is skipped; batches of it that
// are under way are finished and count.
func (s *Store) SetTexts(version uint64, list []string) {
	s.mu.Lock()
	s.wanted = &texts{version: version, list: slices.Clone(list)}
	s.progress = progress{reason: ReasonNew, total: len(list)}
	s.mu.Unlock()
	s.notify()
}

// ClearCache deletes the vectors that are kept on disk. Those in memory stay in
// use, and are not written again.
func (s *Store) ClearCache() error { return s.cache.clear() }

// SetDeadline changes how long a query's embedding is waited for.
func (s *Store) SetDeadline(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = d
}

// wait is how long a query's embedding is waited for.
func (s *Store) wait() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deadline
}

// notify wakes the store's goroutine, now or when it next looks.
func (s *Store) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Vectors returns what was published last for the current provider, nil before
// that.
func (s *Store) Vectors() *Vectors {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vectors
}

// Status is how far a store is, for a person to see.
type Status struct {
	// Space is the provider's; the zero Space without one.
	Space Space
	// Reason is ReasonNone when the vectors are complete or no provider is set.
	Reason Reason
	// Embedded of Total texts have a vector.
	Embedded, Total int
	// Err is the last failure to embed the texts, nil when there is none.
	Err error
}

// Status returns how far the vectors of the newest texts are.
func (s *Store) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provider == nil {
		return Status{}
	}
	status := Status{
		Space: s.provider.Space(), Reason: s.progress.reason, Err: s.progress.err,
		Embedded: s.progress.done, Total: s.progress.total,
	}
	if s.vectors != nil {
		status.Space = s.vectors.space
	}
	return status
}
