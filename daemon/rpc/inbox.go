package rpc

import (
	"io"
	"slices"
	"sync"
	"time"
)

const (
	// maxInbox limits the bytes that are read ahead; then the host is blocked. The
	// largest frame fits.
	maxInbox = maxFrameBytes + 1<<20
	// drainTime is how long the connection may continue reading after the host's pipe has
	// ended, so that a host that writes requests and closes the pipe gets answers. It is
	// part of the two seconds of a shutdown.
	drainTime = 200 * time.Millisecond
)

// Inbox buffers between the host's pipe and the connection. Reading the pipe cannot be
// interrupted. Its end has to be detected even if the connection is blocked because the
// host reads no answers.
type Inbox struct {
	// mu guards the following fields; changed is signalled at each change.
	mu       sync.Mutex
	changed  sync.Cond
	waiting  [][]byte // chunks as received
	taken    int      // bytes read of the first chunk
	size     int      // unread bytes
	spare    []byte   // a chunk for reuse
	ended    bool     // the host sends no more
	closed   bool     // the reader has stopped
	emptied  chan struct{}
	emptyOne sync.Once
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox {
	b := &Inbox{emptied: make(chan struct{})}
	b.changed.L = &b.mu
	return b
}

// Pump reads what the host sends until its end, and calls gone when the connection has
// read it.
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

// chunkBytes is how much is read from the pipe at once.
const chunkBytes = 64 << 10

// fill reads the pipe. An error counts as its end.
func (b *Inbox) fill(in io.Reader) {
	chunk := make([]byte, chunkBytes)
	for {
		n, err := in.Read(chunk)
		kept, open := b.put(chunk[:n])
		if !open || err != nil {
			return
		}
		if kept {
			chunk = b.chunk()
		}
	}
}

// chunk returns a buffer to read into.
func (b *Inbox) chunk() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if chunk := b.spare; chunk != nil {
		b.spare = nil
		return chunk
	}
	return make([]byte, chunkBytes)
}

// put appends a chunk once there is room. If it fits, it is copied into the last one;
// otherwise kept is true. open is false if the reader has stopped.
func (b *Inbox) put(chunk []byte) (kept, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.size > maxInbox && !b.closed {
		b.changed.Wait()
	}
	if b.closed {
		return false, false
	}
	b.size += len(chunk)
	b.changed.Broadcast()
	if last := len(b.waiting) - 1; len(chunk) == 0 || last >= 0 && cap(b.waiting[last])-len(b.waiting[last]) >= len(chunk) {
		if len(chunk) > 0 {
			b.waiting[last] = append(b.waiting[last], chunk...)
		}
		return false, true
	}
	b.waiting = append(b.waiting, chunk)
	return true, true
}

// Read implements io.Reader for the connection.
func (b *Inbox) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.size == 0 && !b.ended && !b.closed {
		b.changed.Wait()
	}
	if b.closed || b.size == 0 {
		b.noteEmpty()
		return 0, io.EOF
	}
	first := b.waiting[0]
	n := copy(p, first[b.taken:])
	b.size -= n
	if b.taken += n; b.taken == len(first) {
		b.waiting, b.taken = slices.Delete(b.waiting, 0, 1), 0
		b.spare = first[:cap(first)]
	}
	b.changed.Broadcast()
	return n, nil
}

// noteEmpty signals that everything was read. Callers must hold mu.
func (b *Inbox) noteEmpty() { b.emptyOne.Do(func() { close(b.emptied) }) }

// end records that the host sends no more.
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
	b.waiting, b.size, b.taken = nil, 0, 0
	b.changed.Broadcast()
}
