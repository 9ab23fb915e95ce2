package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// importRoutes are the methods by which a host moves servers into Winnow's
// files.
func importRoutes(e *engine.Engine) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodImportList: rpc.Async(func(_ context.Context, p *protocol.ImportListParams) (protocol.ImportListResult, error) {
			return e.Imports.List(p)
		}),
		protocol.MethodImportPlan: rpc.Async(func(_ context.Context, p *protocol.ImportPlanParams) (protocol.ImportPlanResult, error) {
			return e.Imports.Plan(p)
		}),
		protocol.MethodImportWillApply: rpc.Async(func(_ context.Context, p *protocol.ImportWillApplyParams) (protocol.ImportWillApplyResult, error) {
			return e.Imports.WillApply(p)
		}),
		protocol.MethodImportHistory: rpc.Async(func(context.Context, *protocol.Empty) (protocol.ImportHistoryResult, error) {
			return e.Imports.History()
		}),
		protocol.MethodImportUndo: rpc.Async(func(_ context.Context, p *protocol.ImportUndoParams) (protocol.ImportUndoResult, error) {
			return e.Imports.Undo(p)
		}),
		protocol.MethodImportDidUndo: rpc.Async(func(_ context.Context, p *protocol.ImportDidUndoParams) (protocol.Empty, error) {
			return protocol.Empty{}, e.Imports.DidUndo(p)
		}),
	}
}
