package rpc

import (
	"io"
	"slices"
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
	waiting  [][]byte // chunks as they came
	taken    int      // bytes of the first that are read
	size     int      // bytes that are not
	spare    []byte   // a chunk that is read
	ended    bool     // the host sends no more
	closed   bool     // nobody reads any more
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

// chunkBytes is how much is taken from the pipe at once.
const chunkBytes = 64 << 10

// fill takes what comes. An error is an end like any other.
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

// chunk returns one to read into.
func (b *Inbox) chunk() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if chunk := b.spare; chunk != nil {
		b.spare = nil
		return chunk
	}
	return make([]byte, chunkBytes)
}

// put takes a chunk, when there is room, and keeps it unless it fits behind the one
// before. open is false when nothing is read any more.
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
	b.waiting, b.size, b.taken = nil, 0, 0
	b.changed.Broadcast()
}
