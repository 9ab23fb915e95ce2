package upstream

import "sync"

// running is the set of children that live, so that none outlives a daemon
// that has no time left for a gentle end. The zero value is empty.
type running struct {
	mu       sync.Mutex
	children map[*process]bool // guarded by mu
}

// add notes a child until it is gone with its descendants.
func (r *running) add(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.children == nil {
		r.children = map[*process]bool{}
	}
	r.children[p] = true
}

// remove forgets a child that is gone.
func (r *running) remove(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.children, p)
}

// kill ends all children and their descendants at once, and waits for none.
func (r *running) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.children {
		p.group.note()
		p.group.kill()
	}
}
