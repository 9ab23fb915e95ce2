package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// serverRoutes are the methods on the servers that the daemon runs.
func serverRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodServerRestart: rpc.Async(func(_ context.Context, p *protocol.ServerParams) (protocol.Empty, error) {
			return protocol.Empty{}, e.Upstream.Restart(p.Name)
		}),
		protocol.MethodServerStop: rpc.Async(func(_ context.Context, p *protocol.ServerParams) (protocol.Empty, error) {
			return protocol.Empty{}, e.Upstream.Stop(p.Name)
		}),
		// It is answered when the user has signed in, or has not.
		protocol.MethodServerSignIn: rpc.Async(func(ctx context.Context, p *protocol.ServerParams) (protocol.Empty, error) {
			return protocol.Empty{}, e.Upstream.SignIn(ctx, p.Name)
		}),
		protocol.MethodServerLog: rpc.Sync(func(_ context.Context, p *protocol.ServerParams) (protocol.ServerLogResult, error) {
			text, err := e.Upstream.Log(p.Name)
			return protocol.ServerLogResult{Text: text}, err
		}),
		protocol.MethodServerConsent: rpc.Async(func(ctx context.Context, p *protocol.ServerConsentParams) (protocol.Empty, error) {
			return protocol.Empty{}, e.Engine.Consent(ctx, p)
		}),
		protocol.MethodServerConsentPrompt: rpc.Sync(func(_ context.Context, p *protocol.ConsentPromptParams) (protocol.ConsentPromptResult, error) {
			return display.Consent(p, e.Workspace.Questions(), e.Workspace.NameOf), nil
		}),
		protocol.MethodServerWait: rpc.Async(func(ctx context.Context, p *protocol.ServerWaitParams) (protocol.ServerWaitResult, error) {
			r, err := e.Engine.AwaitServers(ctx, p)
			r.Unusable = display.Unusable(r.Servers)
			return r, err
		}),
	}
}
