package editor

import (
	"cmp"
	"context"
	"errors"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// codes maps kinds of errors to their codes on the wire.
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
	var params *rpc.ParamsError
	if errors.As(err, &params) {
		err = failure.Invalid("%v", err)
	}
	data := engine.Describe(ctx, err).Data()
	if data.Next == "" || data.Kind != protocol.KindInvalidParams {
		data.Next = cmp.Or(nextRequests()[data.Kind], data.Next)
	}
	return codes()[data.Kind], data
}

// nextRequests returns next steps that are requests of this protocol, which the engine
// cannot name. The one for invalid params is used only if the engine gives none.
func nextRequests() map[protocol.ErrorKind]string {
	return map[protocol.ErrorKind]string{
		protocol.KindInvalidParams: "See the method's shape in protocol/.",
		protocol.KindUnknownServer: "Check the name against " + protocol.MethodCatalogList + ".",
		protocol.KindUnknownSource: "Hand its tools over by " + protocol.MethodSetHostTools + " first.",
		protocol.KindUnknownTask: "Open one by " + protocol.MethodTaskOpen + ", or resume it by " + protocol.MethodTaskResume +
			" with the state of its last attachment.",
	}
}
