package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// serverRoutes returns the routes on the daemon's servers.
func serverRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodServerRestart: rpc.Async(done(func(_ context.Context, p *protocol.ServerParams) error { return e.Upstream.Restart(p.Name) })),
		protocol.MethodServerStop:    rpc.Async(done(func(_ context.Context, p *protocol.ServerParams) error { return e.Upstream.Stop(p.Name) })),
		// The response is sent when the sign-in has completed or failed.
		protocol.MethodServerSignIn: rpc.Async(done(func(ctx context.Context, p *protocol.ServerParams) error { return e.Upstream.SignIn(ctx, p.Name) })),
		protocol.MethodServerLog: rpc.Sync(func(_ context.Context, p *protocol.ServerParams) (protocol.ServerLogResult, error) {
			text, err := e.Upstream.Log(p.Name)
			return protocol.ServerLogResult{Text: text}, err
		}),
		protocol.MethodServerConsent: rpc.Async(done(e.Engine.Consent)),
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

// lockRoutes returns the routes on the lock on tools, on other approvals of the user, and
// on the record.
func lockRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodLockList: rpc.Async(func(context.Context, *protocol.Empty) (protocol.LockListResult, error) {
			return e.Locks.List(), nil
		}),
		protocol.MethodLockRows: rpc.Async(func(_ context.Context, p *protocol.LockRowsParams) (protocol.LockRowsResult, error) {
			return display.Changes(p, e.Locks.List().Changes, func(source, server string) (string, error) { return content(e, source, server) })
		}),
		protocol.MethodLockDiff: rpc.Async(plain(e.Locks.Diff)),
		protocol.MethodLockApprove: rpc.Async(func(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
			result, err := e.Engine.ApproveLocked(ctx, p)
			result.Text = display.Approved(p, result)
			return result, err
		}),
		protocol.MethodLockKeep: rpc.Async(func(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
			result, err := e.Engine.KeepLocked(ctx, p)
			result.Text = display.Kept(p)
			return result, err
		}),
		protocol.MethodLockUndo: rpc.Async(e.Engine.UndoLocked),
		protocol.MethodApprovalList: rpc.Async(func(context.Context, *protocol.Empty) (protocol.ApprovalListResult, error) {
			return display.Approvals(e.Approvals.List()), nil
		}),
		protocol.MethodApprovalRevoke: rpc.Async(func(ctx context.Context, p *protocol.ApprovalRevokeParams) (protocol.Empty, error) {
			_, err := e.Approvals.Revoke(ctx, p)
			return protocol.Empty{}, err
		}),
		protocol.MethodJournalList: rpc.Async(e.Record.List),
	}
}

// content returns the current content of a server in a list, or "" if it is gone.
func content(e *parts, source, server string) (string, error) {
	list, err := e.Catalog.List(&protocol.CatalogListParams{Source: source, Server: server, ServersOnly: true})
	if err != nil || len(list.Servers) == 0 {
		return "", err
	}
	return list.Servers[0].Content, nil
}
