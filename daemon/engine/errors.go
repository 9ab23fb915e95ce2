package engine

import (
	"context"
	"errors"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/plainwords"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Describe returns an error in the form that faces use: kind, owner, cause and next step.
// ctx is the context of the failed request.
func Describe(ctx context.Context, err error) *failure.Error {
	var described failure.Error
	var (
		own     *failure.Error
		refusal *router.Refusal
	)
	switch {
	case errors.As(err, &own):
		described = *own
	case errors.As(err, &refusal):
		described = failure.Error{
			Kind: refusal.Kind, Owner: failure.Owner{Server: refusal.ID.Server, Tool: refusal.ID.Tool},
			Rule: refusal.Cause, Next: refusal.Next,
		}
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		described.Kind = protocol.KindCancelled
	default:
		described = describeUpstream(err)
	}
	described.Cause = plainwords.Of(err)
	return &described
}

// describeUpstream describes an error of an MCP server.
func describeUpstream(err error) failure.Error {
	var (
		unknown     *upstream.UnknownServerError
		unavailable *upstream.UnavailableError
		timeout     *upstream.TimeoutError
		rpc         *upstream.RPCError
		useless     *upstream.CallError
		signIn      *upstream.SignInError
	)
	of := func(kind protocol.ErrorKind, server, next string) failure.Error {
		return failure.Error{Kind: kind, Owner: failure.Owner{Server: server}, Next: next}
	}
	switch {
	case errors.As(err, &unknown):
		return of(protocol.KindUnknownServer, unknown.Server, "Check the name in the configuration files.")
	case errors.As(err, &unavailable):
		kind := protocol.KindUnavailable
		if unavailable.State == upstream.SignedOut {
			kind = protocol.KindSignIn
		}
		return of(kind, unavailable.Server, unavailable.Next)
	case errors.As(err, &signIn):
		return of(protocol.KindSignIn, signIn.Server, signIn.Next)
	case errors.As(err, &timeout):
		return of(protocol.KindTimeout, timeout.Server, "Raise `timeout` of this server if it needs longer.")
	case errors.As(err, &rpc):
		return of(protocol.KindCallFailed, rpc.Server, "See the server's log.")
	case errors.As(err, &useless):
		return of(protocol.KindCallFailed, useless.Server, "See the server's log; if that does not help, tell the server's author.")
	}
	return failure.Error{Kind: protocol.KindInternal, Next: "See the daemon's log, and report it."}
}
