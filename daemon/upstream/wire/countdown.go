package wire

import (
	"sync"
	"time"
)

// countdown is the timeout of one request. It does not run while the user is
// asked something.
type countdown struct {
	timeout time.Duration
	// late is called at the timeout, stuck some time after it.
	timer, guard *time.Timer

	// mu guards pauses, how many questions are open, and over.
	mu     sync.Mutex
	pauses int
	over   bool
}

func newCountdown(timeout time.Duration, late, stuck func()) *countdown {
	return &countdown{timeout: timeout, timer: time.AfterFunc(timeout, late), guard: time.AfterFunc(timeout+unblockGrace, stuck)}
}

func (p *countdown) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pauses++
	p.timer.Stop()
	p.guard.Stop()
}

// resume begins the timeout anew: the server goes on from here.
func (p *countdown) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pauses--
	if p.pauses == 0 && !p.over {
		p.timer.Reset(p.timeout)
		p.guard.Reset(p.timeout + unblockGrace)
	}
}

// end stops the timeout: the request is answered.
func (p *countdown) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.timer.Stop()
	p.guard.Stop()
}
