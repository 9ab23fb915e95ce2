package catalog

import "sync"

// broadcast tells any number of waiters that something has changed. The zero value
// is ready.
type broadcast struct {
	mu   sync.Mutex
	next chan struct{} // guarded by mu; closed by notify, and made when waited for
}

// wait returns a channel that is closed at the next notify. What is looked at
// after wait is not missed.
func (n *broadcast) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}

// notify wakes all who wait.
func (n *broadcast) notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}
