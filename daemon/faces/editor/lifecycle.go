package editor

import (
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// phase is where a session is in its life.
type phase int

const (
	created phase = iota
	initialized
	shutDown
	exited
)

// lifecycle keeps a session in order, as LSP defines it.
type lifecycle struct {
	mu    sync.Mutex
	phase phase // guarded by mu
	early bool  // guarded by mu; exit came without shutdown
}

// admit says whether a method may be called now, and takes the step that it
// means.
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

// opened notes a successful initialize.
func (l *lifecycle) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase == created { // and not over meanwhile
		l.phase = initialized
	}
}

// end notes that the host is gone.
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
