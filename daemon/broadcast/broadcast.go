// Package broadcast wakes any number of waiters at once. It hands over no value:
// who is woken looks at what has changed.
package broadcast

import "sync"

// Broadcast tells those who wait that something has changed. The zero value is
// ready.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{} // guarded by mu; closed by Notify, and made when waited for
}

// Wait returns a channel that is closed at the next Notify. What is looked at
// after Wait is not missed.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Notify wakes all who wait.
func (b *Broadcast) Notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
