package rpc

import (
	"bytes"
	"io"
	"sync"
	"time"
)

const (
	// maxInbox bounds what the host may send ahead of the connection, which
	// then holds the host up. It holds the largest frame.
	maxInbox = maxFrameBytes + 1<<20
	// drainTime is how long the connection may read on after the host's pipe
	// has ended, so that a host that writes its requests and closes the pipe
	// has them answered. It counts into the two seconds of a shutdown.
	drainTime = 200 * time.Millisecond
)

// Inbox stands between the host's pipe and the connection. Reading that pipe
// cannot be interrupted, and the end of it has to be seen also while the
// connection cannot read because the host takes no answers.
type Inbox struct {
	// mu guards what follows; changed is signalled at each change.
	mu       sync.Mutex
	changed  sync.Cond
	waiting  bytes.Buffer
	ended    bool // the host sends no more
	closed   bool // nobody reads any more
	emptied  chan struct{}
	emptyOne sync.Once
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox {
	b := &Inbox{emptied: make(chan struct{})}
	b.changed.L = &b.mu
	return b
}

// Pump takes what the host sends until it is gone, and says so when the
// connection has read it.
func (b *Inbox) Pump(in io.Reader, gone func()) {
	b.fill(in)
	b.end()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-b.emptied:
	case <-timer.C:
	}
	gone()
}

// fill takes what comes. An error is an end like any other.
func (b *Inbox) fill(in io.Reader) {
	chunk := make([]byte, 32<<10)
	for {
		n, err := in.Read(chunk)
		if !b.put(chunk[:n]) || err != nil {
			return
		}
	}
}

// put keeps a chunk, when there is room; false means that nobody wants it.
func (b *Inbox) put(chunk []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.waiting.Len() > maxInbox && !b.closed {
		b.changed.Wait()
	}
	if b.closed {
		return false
	}
	_, _ = b.waiting.Write(chunk) // it never fails
	b.changed.Broadcast()
	return true
}

// Read implements io.Reader for the connection.
func (b *Inbox) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.waiting.Len() == 0 && !b.ended && !b.closed {
		b.changed.Wait()
	}
	if b.closed || b.waiting.Len() == 0 {
		b.noteEmpty()
		return 0, io.EOF
	}
	n, err := b.waiting.Read(p)
	if b.waiting.Len() == 0 {
		b.release()
	}
	b.changed.Broadcast()
	return n, err
}

// release gives back the room of a large frame. The caller holds mu.
func (b *Inbox) release() {
	const keep = 1 << 20
	if b.waiting.Cap() > keep {
		b.waiting = bytes.Buffer{}
	}
}

// noteEmpty says that everything was read. The caller holds mu.
func (b *Inbox) noteEmpty() { b.emptyOne.Do(func() { close(b.emptied) }) }

// end notes that the host sends no more.
func (b *Inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.changed.Broadcast()
}

// Close ends reading at once.
func (b *Inbox) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.waiting = bytes.Buffer{}
	b.changed.Broadcast()
}
