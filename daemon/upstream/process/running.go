package process

import "sync"

// Running is the set of children that live, so that none outlives a daemon
// that has no time left for a gentle end. The zero value is empty.
type Running struct {
	mu       sync.Mutex
	children map[*Process]bool // guarded by mu
}

// Add notes a child until it is gone with its descendants.
func (r *Running) Add(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.children == nil {
		r.children = map[*Process]bool{}
	}
	r.children[p] = true
}

// Remove forgets a child that is gone.
func (r *Running) Remove(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.children, p)
}

// Kill ends all children and their descendants at once, and waits for none.
func (r *Running) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.children {
		p.group.note()
		p.group.kill()
	}
}
