package hosttest

import (
	"bytes"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
)

// Log is a log that can be read while it is written.
type Log struct {
	// News is notified at each line.
	News *broadcast.Broadcast

	mu  sync.Mutex
	buf bytes.Buffer // guarded by mu
}

// Write implements [io.Writer].
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.News.Notify()
	return l.buf.Write(p)
}

// String returns what has been written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
