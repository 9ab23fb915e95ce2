package engine

import (
	"context"
	"errors"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Describe says what kind of error an error is, what it concerns, and what the
// user can do. ctx is the context of the request that failed.
func Describe(ctx context.Context, err error) protocol.ErrorData {
	var (
		own     *failure.Error
		refusal *router.Refusal
	)
	switch {
	case errors.As(err, &own):
		data := own.Data
		data.Kind = own.Kind
		return data
	case errors.As(err, &refusal):
		return protocol.ErrorData{
			Kind: refusal.Kind, Server: refusal.ID.Server, Tool: refusal.ID.Tool,
			Cause: refusal.Cause, Next: refusal.Next,
		}
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return protocol.ErrorData{Kind: protocol.KindCancelled}
	}
	return describeUpstream(err)
}

// describeUpstream says what went wrong with an MCP server.
func describeUpstream(err error) protocol.ErrorData {
	var (
		unknown     *upstream.UnknownServerError
		unavailable *upstream.UnavailableError
		timeout     *upstream.TimeoutError
		rpc         *upstream.RPCError
		useless     *upstream.CallError
		signIn      *upstream.SignInError
	)
	switch {
	case errors.As(err, &unknown):
		return protocol.ErrorData{Kind: protocol.KindUnknownServer, Server: unknown.Server,
			Next: "Check the name against catalog/list."}
	case errors.As(err, &unavailable):
		kind := protocol.KindUnavailable
		if unavailable.State == upstream.SignedOut {
			kind = protocol.KindSignIn
		}
		return protocol.ErrorData{Kind: kind, Server: unavailable.Server, Next: unavailable.Next}
	case errors.As(err, &signIn):
		return protocol.ErrorData{Kind: protocol.KindSignIn, Server: signIn.Server, Next: signIn.Next}
	case errors.As(err, &timeout):
		return protocol.ErrorData{Kind: protocol.KindTimeout, Server: timeout.Server,
			Next: "Raise `timeout` of this server if it needs longer."}
	case errors.As(err, &rpc):
		return protocol.ErrorData{Kind: protocol.KindCallFailed, Server: rpc.Server,
			Next: "See the server's log (server/log)."}
	case errors.As(err, &useless):
		return protocol.ErrorData{Kind: protocol.KindCallFailed, Server: useless.Server,
			Next: "See the server's log (server/log); if that does not help, tell the server's author."}
	}
	return protocol.ErrorData{Kind: protocol.KindInternal, Next: "See the daemon's log, and report it."}
}

// Explain says in one text what an error is and what can be done about it.
func Explain(ctx context.Context, err error) string {
	return failure.WithNext(err.Error(), Describe(ctx, err).Next)
}
