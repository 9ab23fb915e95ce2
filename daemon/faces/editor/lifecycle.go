package editor

import (
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// phase is a phase of a session.
type phase int

const (
	created phase = iota
	initialized
	shutDown
	exited
)

// lifecycle enforces LSP's order of requests.
type lifecycle struct {
	mu    sync.Mutex
	phase phase // guarded by mu
	early bool  // guarded by mu; exit came without shutdown
}

// admit returns an error if a method may not be called in this phase, and enters the next
// phase if the method starts one.
func (l *lifecycle) admit(method string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case method == protocol.MethodExit:
		l.early = l.phase != shutDown
		l.phase = exited
	case l.phase == exited, l.phase == shutDown:
		return failure.New(protocol.KindLifecycle, "Start a new daemon.", "%s after shutdown", method)
	case method == protocol.MethodInitialize && l.phase != created:
		return failure.New(protocol.KindLifecycle, "Send initialize once.", "initialize was sent twice")
	case method == protocol.MethodInitialize:
	case l.phase == created:
		return failure.New(protocol.KindNotInitialized, "Send initialize first.", "%s before initialize", method)
	case method == protocol.MethodShutdown:
		l.phase = shutDown
	}
	return nil
}

// opened records a successful initialize.
func (l *lifecycle) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase == created { // unless the session has ended
		l.phase = initialized
	}
}

// end records that the host is gone.
func (l *lifecycle) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = exited
}

func (l *lifecycle) exitedEarly() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.early
}
