package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// importRoutes are the methods by which a host moves servers into Winnow's
// files.
func importRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodImportList: rpc.Async(func(context.Context, *protocol.Empty) (protocol.ImportListResult, error) {
			result := e.Imports.List()
			display.ImportServers(result.Files)
			return result, nil
		}),
		protocol.MethodImportPlan: rpc.Async(func(_ context.Context, p *protocol.ImportPlanParams) (protocol.ImportPlanResult, error) {
			result, err := e.Imports.Plan(p)
			result.Words = display.ImportNotes(result.Notes, e.Workspace.NameOf)
			return result, err
		}),
		protocol.MethodImportApply: rpc.Async(func(_ context.Context, p *protocol.ImportApplyParams) (protocol.ImportApplyResult, error) {
			return e.Imports.Apply(p)
		}),
		protocol.MethodImportHistory: rpc.Async(func(context.Context, *protocol.Empty) (protocol.ImportHistoryResult, error) {
			return e.Imports.History()
		}),
		protocol.MethodImportPlanUndo: rpc.Async(func(_ context.Context, p *protocol.ImportPlanUndoParams) (protocol.ImportPlanUndoResult, error) {
			result, err := e.Imports.PlanUndo(p)
			result.Words = display.ImportNotes(result.Notes, e.Workspace.NameOf)
			return result, err
		}),
		protocol.MethodImportUndo: rpc.Async(func(_ context.Context, p *protocol.ImportUndoParams) (protocol.Empty, error) {
			return protocol.Empty{}, e.Imports.Undo(p)
		}),
	}
}
