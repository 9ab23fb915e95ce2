package daemon

import (
	"context"

	"github.com/winnow-mcp/winnow/protocol"
)

// serverRestart answers server/restart.
func (s *Server) serverRestart(_ context.Context, p *protocol.ServerParams) (protocol.Empty, error) {
	return protocol.Empty{}, s.workspace.manager.Restart(p.Name)
}

// serverStop answers server/stop.
func (s *Server) serverStop(_ context.Context, p *protocol.ServerParams) (protocol.Empty, error) {
	return protocol.Empty{}, s.workspace.manager.Stop(p.Name)
}

// serverSignIn answers server/signIn when the user has signed in, or has not.
func (s *Server) serverSignIn(ctx context.Context, p *protocol.ServerParams) (protocol.Empty, error) {
	return protocol.Empty{}, s.workspace.manager.SignIn(ctx, p.Name)
}

// serverLog answers server/log.
func (s *Server) serverLog(_ context.Context, p *protocol.ServerParams) (protocol.ServerLogResult, error) {
	text, err := s.workspace.manager.Log(p.Name)
	return protocol.ServerLogResult{Text: text}, err
}

// serverConsent answers server/consent.
func (s *Server) serverConsent(ctx context.Context, p *protocol.ServerConsentParams) (protocol.Empty, error) {
	return protocol.Empty{}, s.workspace.consent(ctx, p.File, p.Allow)
}
