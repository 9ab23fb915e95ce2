package holder

import (
	"io"
	"sync"
)

// maxWaiting bounds the bytes queued for one reader. A reader further behind has stopped
// reading.
const maxWaiting = 64 << 20

// outbox writes lines in order without blocking the sender.
type outbox struct {
	to io.WriteCloser

	mu    sync.Mutex
	wake  sync.Cond
	lines [][]byte
	size  int
	over  bool
}

// newOutbox returns an outbox that writes to to. It calls done when it has ended.
func newOutbox(to io.WriteCloser, done func()) *outbox {
	o := &outbox{to: to}
	o.wake.L = &o.mu
	go func() {
		defer done()
		o.run()
	}()
	return o
}

func (o *outbox) run() {
	defer func() { _ = o.to.Close() }()
	for {
		o.mu.Lock()
		for len(o.lines) == 0 && !o.over {
			o.wake.Wait()
		}
		lines := o.lines
		o.lines, o.size = nil, 0
		o.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		for _, line := range lines {
			if _, err := o.to.Write(append(line, '\n')); err != nil {
				return
			}
		}
	}
}

// send queues a line. If the reader is too far behind, it closes the outbox.
func (o *outbox) send(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return
	}
	if o.size += len(line); o.size > maxWaiting {
		o.over, o.lines = true, nil
		_ = o.to.Close()
	} else {
		// A line may be sent to several outboxes, and each appends its own end.
		o.lines = append(o.lines, line[:len(line):len(line)])
	}
	o.wake.Signal()
}

// close ends the outbox after the queued lines are written.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	o.wake.Signal()
}
