package wire

import (
	"context"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

// lifetime is the lifetime of one connection. It holds the cause of its end and owns the
// connection's goroutines.
type lifetime struct {
	redact *clean.Redactor
	// life is the context of goroutines that outlive the attempt to connect.
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

// spawn runs f in a goroutine of this connection. It returns false if the connection is
// closed. A panic in f fails the connection only.
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

// Lost, Cause and Fail implement [Connection].
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

// wait refuses new goroutines and waits for the running ones.
func (l *lifetime) wait() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.work.Wait()
}
