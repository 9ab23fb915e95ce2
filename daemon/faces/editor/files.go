package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// fileRoutes are the methods that edit the user's files, and those on modes.
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
		protocol.MethodModeSet: rpc.Sync(func(_ context.Context, p *protocol.ModeSetParams) (protocol.Empty, error) {
			return protocol.Empty{}, e.Modes.Set(p.Mode)
		}),
	}
}

// needsTool refuses an edit that names no tool.
func needsTool(method, tool string) error {
	if tool == "" {
		return failure.Invalid("%s needs the name of a tool", method)
	}
	return nil
}
