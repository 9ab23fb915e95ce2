package wire

import (
	"sync"
	"time"
)

// countdown is the timeout of one request. It is paused while the user is asked
// something.
type countdown struct {
	timeout time.Duration
	// timer calls late at the timeout; guard calls stuck unblockGrace after it.
	timer, guard *time.Timer

	// mu guards pauses, the number of open questions, and over.
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

// resume restarts the full timeout once no question is open.
func (p *countdown) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pauses--
	if p.pauses == 0 && !p.over {
		p.timer.Reset(p.timeout)
		p.guard.Reset(p.timeout + unblockGrace)
	}
}

// end stops the timeout for good.
func (p *countdown) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.timer.Stop()
	p.guard.Stop()
}
