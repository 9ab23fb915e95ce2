package upstream

import (
	"errors"
	"strings"
	"testing"
)

// TestConnection_panics: a fault over what a server sent ends the connection to
// that server, and nothing else.
func TestConnection_panics(t *testing.T) {
	t.Parallel()
	l := newLifetime(&redactor{})
	l.spawn(func() { panic("a frame of no kind") })
	if err := l.cause(); err == nil || !strings.Contains(err.Error(), "over what it sent: a frame of no kind") {
		t.Errorf("it ended with %v", err)
	}
	l.wait()
	fault := func() (err error) {
		defer recovered(func(p error) { err = p })
		panic("a list of no kind")
	}()
	if !errors.As(fault, new(*panicError)) {
		t.Errorf("a fault over a list became %v", fault)
	}
}
