package wire

import (
	"context"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

// lifetime is that of one connection: it knows how it ended, and owns the
// goroutines that work for it.
type lifetime struct {
	redact *clean.Redactor
	// life is the context of what outlives the attempt to connect.
	life   context.Context //nolint:containedctx // the connection's own lifetime, cancelled by fail
	cancel context.CancelFunc

	gone     chan struct{}
	goneOnce sync.Once
	goneErr  error

	// mu guards closed.
	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup
}

func newLifetime(redact *clean.Redactor) *lifetime {
	l := &lifetime{redact: redact, gone: make(chan struct{})}
	l.life, l.cancel = context.WithCancel(context.Background())
	return l
}

// spawn runs f as a goroutine of this connection, unless it is closed. A panic
// over what the server sent ends the connection, and nothing else.
func (l *lifetime) spawn(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.work.Go(func() {
			defer fault.Recovered(l.Fail)
			f()
		})
	}
	return !l.closed
}

// Lost, cause and fail implement connection.
func (l *lifetime) Lost() <-chan struct{} { return l.gone }

func (l *lifetime) Cause() error {
	<-l.gone
	return l.goneErr
}

func (l *lifetime) Fail(err error) {
	l.goneOnce.Do(func() {
		l.goneErr = l.redact.Err(err)
		close(l.gone)
		l.cancel()
	})
}

// wait lets nothing more begin and returns when all has ended.
func (l *lifetime) wait() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.work.Wait()
}
