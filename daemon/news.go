package daemon

import "sync"

// news tells any number of waiters that something has changed. The zero value
// is ready.
type news struct {
	mu   sync.Mutex
	next chan struct{} // guarded by mu; closed by tell, and made when waited for
}

// wait returns a channel that is closed at the next tell. What is looked at
// after wait is not missed.
func (n *news) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}

// tell wakes all who wait.
func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}
