package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// failure is an error that the daemon itself found.
type failure struct {
	kind    protocol.ErrorKind
	message string
	data    protocol.ErrorData
}

func (f *failure) Error() string { return f.message }

// fail returns a failure that tells the user what to do next.
func fail(kind protocol.ErrorKind, next, format string, args ...any) *failure {
	return &failure{kind: kind, message: fmt.Sprintf(format, args...), data: protocol.ErrorData{Next: next}}
}

// invalid returns the failure of params that cannot be used.
func invalid(format string, args ...any) *failure {
	return fail(protocol.KindInvalidParams, "See the method's shape in protocol/.", format, args...)
}

// codes maps the kinds of errors to their codes on the wire.
func codes() map[protocol.ErrorKind]protocol.Code {
	return map[protocol.ErrorKind]protocol.Code{
		protocol.KindCancelled:       protocol.CodeRequestCancelled,
		protocol.KindInternal:        protocol.CodeInternalError,
		protocol.KindInvalidParams:   protocol.CodeInvalidParams,
		protocol.KindMethodNotFound:  protocol.CodeMethodNotFound,
		protocol.KindLifecycle:       protocol.CodeInvalidRequest,
		protocol.KindNotInitialized:  protocol.CodeServerNotInitialized,
		protocol.KindVersion:         protocol.CodeInvalidRequest,
		protocol.KindContentModified: protocol.CodeContentModified,
		protocol.KindUnknownTask:     protocol.CodeUnknownTask,
		protocol.KindUnknownServer:   protocol.CodeUnknownServer,
		protocol.KindUnknownTool:     protocol.CodeUnknownTool,
		protocol.KindUnknownMode:     protocol.CodeUnknownMode,
		protocol.KindUnknownSource:   protocol.CodeUnknownSource,
		protocol.KindOutOfScope:      protocol.CodeOutOfScope,
		protocol.KindNotAttached:     protocol.CodeNotAttached,
		protocol.KindLimit:           protocol.CodeLimitReached,
		protocol.KindHostTool:        protocol.CodeHostTool,
		protocol.KindUnavailable:     protocol.CodeUnavailable,
		protocol.KindTimeout:         protocol.CodeTimeout,
		protocol.KindCallFailed:      protocol.CodeCallFailed,
		protocol.KindSignIn:          protocol.CodeSignInRequired,
		protocol.KindInvalidArgument: protocol.CodeInvalidArgument,
		protocol.KindConfig:          protocol.CodeConfig,
		protocol.KindEdit:            protocol.CodeEdit,
	}
}

// classify returns the code and the data of an error. ctx is the context of
// the request that failed.
func classify(ctx context.Context, err error) (protocol.Code, protocol.ErrorData) {
	data := describe(ctx, err)
	return codes()[data.Kind], data
}

func describe(ctx context.Context, err error) protocol.ErrorData {
	var (
		own     *failure
		refusal *router.Refusal
	)
	switch {
	case errors.As(err, &own):
		data := own.data
		data.Kind = own.kind
		return data
	case errors.As(err, &refusal):
		return protocol.ErrorData{
			Kind: refusal.Kind, Server: refusal.ID.Server, Tool: refusal.ID.Tool,
			Rule: refusal.Rule, Next: refusal.Next,
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
