// Package broadcast wakes any number of waiters at once. It transfers no value; waiters
// read the changed state themselves.
package broadcast

import "sync"

// Broadcast notifies waiters of a change. The zero value is ready to use.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{} // guarded by mu; closed by Notify, created by Wait
}

// Wait returns a channel that is closed at the next Notify. State read after Wait returns
// misses no change.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Notify wakes all waiters.
func (b *Broadcast) Notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
