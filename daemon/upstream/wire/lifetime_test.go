package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

// TestConnection_panics: a fault over what a server sent ends the connection to
// that server, and nothing else.
func TestConnection_panics(t *testing.T) {
	t.Parallel()
	l := newLifetime(&clean.Redactor{})
	l.spawn(func() { panic("a frame of no kind") })
	if err := l.Cause(); err == nil || !strings.Contains(err.Error(), "over what it sent: a frame of no kind") {
		t.Errorf("it ended with %v", err)
	}
	l.wait()
	panicked := func() (err error) {
		defer fault.Recovered(func(p error) { err = p })
		panic("a list of no kind")
	}()
	if !errors.As(panicked, new(*fault.Panic)) {
		t.Errorf("a fault over a list became %v", panicked)
	}
}
