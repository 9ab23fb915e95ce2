package editor

import (
	"context"
	"errors"
	"reflect"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// lifecycleRoutes returns the routes that the session answers itself.
func (s *Session) lifecycleRoutes() map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodInitialize:  rpc.Sync(s.initialize),
		protocol.MethodInitialized: rpc.Notification(s.initialized),
		protocol.MethodShutdown:    rpc.Sync(s.shutdown),
		protocol.MethodExit:        rpc.Notification(s.exit),
	}
}

// initialize opens the session. When it returns, the configuration is read and the
// catalogue of known servers is available. Servers start after initialized, because the
// host accepts no requests before.
func (s *Session) initialize(ctx context.Context, p *protocol.InitializeParams) (protocol.InitializeResult, error) {
	if p.ProtocolVersion != protocol.Version {
		return protocol.InitializeResult{}, failure.New(protocol.KindVersion,
			"Install the daemon and the extension of the same release.",
			"the host speaks protocol version %d, and this daemon version %d", p.ProtocolVersion, protocol.Version)
	}
	if reflect.ValueOf(p.Network).IsZero() {
		p.Network = networkOf(p.HTTP)
	}
	e, gateway := s.open(&wireHost{conn: s.conn, can: p.Capabilities}, p)
	if err := s.adopt(e, gateway); err != nil {
		// No server was started, so Close does not wait.
		return protocol.InitializeResult{}, errors.Join(err, e.Engine.Close(context.WithoutCancel(ctx)))
	}
	s.lifecycle.opened()
	return protocol.InitializeResult{
		Server:          protocol.ServerIdentity{Name: s.options.Name, Version: s.options.Engine.Version},
		ProtocolVersion: protocol.Version,
		Capabilities:    protocol.ServerCapabilities{Strategies: protocol.Strategies(), Rankers: protocol.Rankers()},
	}, nil
}

// initialized is sent when the host accepts requests. The dispatcher has already started
// the engine.
func (s *Session) initialized(context.Context, *protocol.Empty) error {
	s.gateway.FollowFolders()
	return nil
}

// shutdown does nothing itself: [lifecycle.admit] has entered the phase, and exit ends
// the process.
func (s *Session) shutdown(context.Context, *protocol.Empty) (protocol.Empty, error) {
	return protocol.Empty{}, nil
}

func (s *Session) exit(context.Context, *protocol.Empty) error {
	s.quitOnce.Do(func() { close(s.quit) })
	return nil
}
