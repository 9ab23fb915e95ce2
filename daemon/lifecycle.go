package daemon

import (
	"context"
	"errors"
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

// session keeps the lifecycle in order, as LSP defines it.
type session struct {
	mu    sync.Mutex
	phase phase // guarded by mu
	early bool  // guarded by mu; exit came without shutdown
}

// admit says whether a method may be called now, and takes the step that it
// means.
func (s *session) admit(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case method == protocol.MethodExit:
		s.early = s.phase != shutDown
		s.phase = exited
	case s.phase == exited, s.phase == shutDown:
		return failure.New(protocol.KindLifecycle, "Start a new daemon.", "%s after shutdown", method)
	case method == protocol.MethodInitialize && s.phase != created:
		return failure.New(protocol.KindLifecycle, "Send initialize once.", "initialize was sent twice")
	case method == protocol.MethodInitialize:
	case s.phase == created:
		return failure.New(protocol.KindNotInitialized, "Send initialize first.", "%s before initialize", method)
	case method == protocol.MethodShutdown:
		s.phase = shutDown
	}
	return nil
}

// opened notes a successful initialize.
func (s *session) opened() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == created { // and not over meanwhile
		s.phase = initialized
	}
}

// end notes that the host is gone.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = exited
}

func (s *session) exitedEarly() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.early
}

// initialize opens the session: the configuration is read and the catalogue
// of known servers is there when it returns. Nothing is started before
// initialized, because the host may not be asked anything before.
func (s *Server) initialize(ctx context.Context, p *protocol.InitializeParams) (protocol.InitializeResult, error) {
	if p.ProtocolVersion != protocol.Version {
		return protocol.InitializeResult{}, failure.New(protocol.KindVersion,
			"Install the daemon and the extension of the same release.",
			"the host speaks protocol version %d, and this daemon version %d", p.ProtocolVersion, protocol.Version)
	}
	w := openWorkspace(s.conn, s.options, p)
	if err := s.adopt(w); err != nil {
		// It has started nothing, so closing it waits for nobody.
		return protocol.InitializeResult{}, errors.Join(err, w.close(context.WithoutCancel(ctx)))
	}
	s.session.opened()
	return protocol.InitializeResult{
		Server:          protocol.ServerIdentity{Name: Name, Version: s.options.Version},
		ProtocolVersion: protocol.Version,
		Capabilities:    protocol.ServerCapabilities{Strategies: protocol.Strategies(), Rankers: protocol.Rankers()},
	}, nil
}

// initialized says that the host takes requests now. The dispatcher has
// started the workspace already.
func (s *Server) initialized(context.Context, *protocol.Empty) error {
	s.openDoors()
	return nil
}

// shutdown ends the work; the process ends by exit.
func (s *Server) shutdown(context.Context, *protocol.Empty) (protocol.Empty, error) {
	return protocol.Empty{}, nil
}

func (s *Server) exit(context.Context, *protocol.Empty) error {
	s.quitOnce.Do(func() { close(s.quit) })
	return nil
}
