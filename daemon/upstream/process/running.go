package process

import "sync"

// Running is the set of live children, to kill at the end of a daemon without time for a
// gentle stop. The zero value is empty. Safe for concurrent use.
type Running struct {
	mu       sync.Mutex
	children map[*Process]bool // guarded by mu
}

// Add adds a child. Call Remove once it and its descendants are gone.
func (r *Running) Add(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.children == nil {
		r.children = map[*Process]bool{}
	}
	r.children[p] = true
}

// Remove removes a child.
func (r *Running) Remove(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.children, p)
}

// Kill kills all children and their descendants and does not wait.
func (r *Running) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.children {
		p.group.note()
		p.group.kill()
	}
}
