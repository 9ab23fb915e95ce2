package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// fileRoutes returns the routes that edit the user's files, and those on modes.
func fileRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodServerSetEnabled: rpc.Async(func(ctx context.Context, p *protocol.ServerSetEnabledParams) (protocol.EditResult, error) {
			return e.Edits.SetServerEnabled(ctx, p.Name, p.Enabled)
		}),
		protocol.MethodToolSetEnabled: rpc.Async(func(ctx context.Context, p *protocol.ToolSetEnabledParams) (protocol.EditResult, error) {
			if err := needsTool(protocol.MethodToolSetEnabled, p.Tool); err != nil {
				return protocol.EditResult{}, err
			}
			return e.Edits.SetToolEnabled(ctx, p.Server, p.Tool, p.Enabled)
		}),
		protocol.MethodToolApprove: rpc.Async(func(ctx context.Context, p *protocol.ToolApproveParams) (protocol.EditResult, error) {
			if err := needsTool(protocol.MethodToolApprove, p.Tool); err != nil {
				return protocol.EditResult{}, err
			}
			return e.Engine.SetApproved(ctx, p)
		}),
		protocol.MethodToolSetAlwaysLoad: rpc.Async(func(ctx context.Context, p *protocol.ToolSetAlwaysLoadParams) (protocol.EditResult, error) {
			return e.Edits.SetAlwaysLoad(ctx, p.Server, p.Tool, p.AlwaysLoad)
		}),
		protocol.MethodToolSetDescription: rpc.Async(func(ctx context.Context, p *protocol.ToolSetDescriptionParams) (protocol.EditResult, error) {
			if err := needsTool(protocol.MethodToolSetDescription, p.Tool); err != nil {
				return protocol.EditResult{}, err
			}
			return e.Edits.SetDescription(ctx, p.Server, p.Tool, p.Description)
		}),
		protocol.MethodModeSetServerBlocked: rpc.Async(func(ctx context.Context, p *protocol.ModeSetServerBlockedParams) (protocol.EditResult, error) {
			return e.Edits.ModeServer(ctx, p.Mode, p.Server, p.Blocked)
		}),
		protocol.MethodEditUndo: rpc.Async(func(ctx context.Context, p *protocol.EditUndoParams) (protocol.EditResult, error) {
			return e.Edits.Undo(ctx, p.Edit)
		}),
		protocol.MethodModeList: rpc.Sync(func(context.Context, *protocol.Empty) (protocol.ModeListResult, error) {
			list := e.Modes.List()
			list.Report = display.ModesReport(&list)
			return list, nil
		}),
		protocol.MethodModeSet: rpc.Sync(done(func(_ context.Context, p *protocol.ModeSetParams) error { return e.Modes.Set(p.Mode) })),
	}
}

// needsTool returns an error if an edit names no tool.
func needsTool(method, tool string) error {
	if tool == "" {
		return failure.Invalid("%s needs the name of a tool", method)
	}
	return nil
}

// importRoutes returns the routes that move servers into Winnow's files.
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
		protocol.MethodImportApply:   rpc.Async(plain(e.Imports.Apply)),
		protocol.MethodImportHistory: rpc.Async(bare(e.Imports.History)),
		protocol.MethodImportPlanUndo: rpc.Async(func(_ context.Context, p *protocol.ImportPlanUndoParams) (protocol.ImportPlanUndoResult, error) {
			result, err := e.Imports.PlanUndo(p)
			result.Words = display.ImportNotes(result.Notes, e.Workspace.NameOf)
			return result, err
		}),
		protocol.MethodImportUndo: rpc.Async(done(func(_ context.Context, p *protocol.ImportUndoParams) error { return e.Imports.Undo(p) })),
	}
}
