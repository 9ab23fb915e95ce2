package results

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxEntries bounds the answers that a [Cache] keeps.
const maxEntries = 512

// Key is what makes two calls the same.
type Key struct {
	Server string
	Tool   string
	// Arguments are canonical: see [Canonical].
	Arguments string
	// Scope names what the caller may see. An answer never leaves it.
	Scope string
}

// Cache lets identical calls of tools that only read share an answer: those
// under way at the same time, and those within the TTL. It is safe for
// concurrent use.
type Cache[P, V any] struct {
	// life ends with the cache's owner, and bounds each call.
	life context.Context //nolint:containedctx // the owner's lifetime
	now  func() time.Time

	// mu guards what follows. It is held for map work only.
	mu      sync.Mutex
	flights map[Key]*flight[P, V]
	kept    map[Key]keptAnswer[V]
	// writes counts the writing calls of each server that have begun or
	// ended: a read that saw it change may be stale and is not kept.
	writes map[string]int

	running sync.WaitGroup
}

type keptAnswer[V any] struct {
	value   V
	expires time.Time
}

// flight is a call under way and those who wait for it.
type flight[P, V any] struct {
	done   chan struct{} // closed when value and err are set
	value  V
	err    error
	cancel context.CancelFunc
	// waiting and listeners are guarded by Cache.mu.
	waiting   int
	listeners []func(P)
}

// NewCache returns an empty cache whose calls end with life.
func NewCache[P, V any](life context.Context, now func() time.Time) *Cache[P, V] {
	return &Cache[P, V]{
		life: life, now: now,
		flights: map[Key]*flight[P, V]{}, kept: map[Key]keptAnswer[V]{}, writes: map[string]int{},
	}
}

// Call is a call that may be shared.
type Call[P, V any] struct {
	Key Key
	// TTL is how long the answer may be used again; 0 shares none, not even with
	// the same call under way.
	TTL time.Duration
	// Do makes the call. Its progress goes to all who wait.
	Do func(ctx context.Context, progress func(P)) (V, error)
	// Keep reports whether an answer may be used again; nil keeps all.
	Keep func(V) bool
	// Progress receives the call's progress; it may be nil.
	Progress func(P)
}

// Read answers a call of a tool that only reads: from what is kept, from the
// same call under way, or by making it. The call goes on as long as somebody
// waits for it.
func (c *Cache[P, V]) Read(ctx context.Context, call Call[P, V]) (V, error) {
	if call.TTL <= 0 {
		return c.alone(ctx, call)
	}
	c.mu.Lock()
	if k, ok := c.kept[call.Key]; ok && c.now().Before(k.expires) {
		c.mu.Unlock()
		return k.value, nil
	}
	f := c.flights[call.Key]
	if f == nil {
		f = c.launch(call)
	}
	f.waiting++
	if call.Progress != nil {
		f.listeners = append(f.listeners, call.Progress)
	}
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		c.abandon(call.Key, f)
		var zero V
		return zero, context.Cause(ctx)
	}
}

// alone makes a call whose answer nobody shares.
func (c *Cache[P, V]) alone(ctx context.Context, call Call[P, V]) (V, error) {
	progress := call.Progress
	if progress == nil {
		progress = func(P) {}
	}
	return guarded(func() (V, error) { return call.Do(ctx, progress) })
}

// launch begins a call. The caller holds mu.
func (c *Cache[P, V]) launch(call Call[P, V]) *flight[P, V] {
	ctx, cancel := context.WithCancel(c.life)
	f := &flight[P, V]{done: make(chan struct{}), cancel: cancel}
	c.flights[call.Key] = f
	before := c.writes[call.Key.Server]
	c.running.Go(func() {
		defer cancel()
		value, err := guarded(func() (V, error) { return call.Do(ctx, func(p P) { c.tell(f, p) }) })
		c.land(call, f, value, err, before)
	})
	return f
}

// guarded turns a panic into an error: there is nobody else on this goroutine
// to do it, and one call must not end the others.
func guarded[V any](do func() (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error in a shared call: %v", p)
		}
	}()
	return do()
}

// Close waits for the calls under way, which end with the owner's lifetime.
func (c *Cache[P, V]) Close() { c.running.Wait() }

// land gives the answer to all who wait.
func (c *Cache[P, V]) land(call Call[P, V], f *flight[P, V], value V, err error, before int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.value, f.err = value, err
	close(f.done)
	if c.flights[call.Key] == f {
		delete(c.flights, call.Key)
	}
	fresh := c.writes[call.Key.Server] == before
	if err != nil || !fresh || call.Keep != nil && !call.Keep(value) {
		return
	}
	if len(c.kept) >= maxEntries {
		c.dropOldest()
	}
	c.kept[call.Key] = keptAnswer[V]{value, c.now().Add(call.TTL)}
}

// dropOldest makes room for one answer. The caller holds mu.
func (c *Cache[P, V]) dropOldest() {
	var (
		oldest Key
		first  time.Time
	)
	for key, k := range c.kept {
		if first.IsZero() || k.expires.Before(first) {
			oldest, first = key, k.expires
		}
	}
	delete(c.kept, oldest)
}

// abandon notes that one who waited is gone; the last one ends the call.
func (c *Cache[P, V]) abandon(key Key, f *flight[P, V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.waiting--
	if f.waiting > 0 {
		return
	}
	f.cancel()
	if c.flights[key] == f {
		delete(c.flights, key) // who comes now makes a call of their own
	}
}

// tell passes progress on.
func (c *Cache[P, V]) tell(f *flight[P, V], progress P) {
	c.mu.Lock()
	listeners := f.listeners
	c.mu.Unlock()
	for _, listen := range listeners {
		listen(progress)
	}
}

// Write forgets what a server has answered. It is called before and after each
// call of a tool that may write, so that no answer from before it survives.
func (c *Cache[P, V]) Write(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes[server]++
	for key := range c.kept {
		if key.Server == server {
			delete(c.kept, key)
		}
	}
	for key := range c.flights {
		if key.Server == server {
			delete(c.flights, key) // it may have looked before the write
		}
	}
}
