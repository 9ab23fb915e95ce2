package enginetest

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
)

// Methods for the requests of package protocol, in the order of its table of methods, all
// with one signature.

// CatalogList does what [protocol.MethodCatalogList] asks for.
func (h *Host) CatalogList(_ context.Context, p *protocol.CatalogListParams) (protocol.CatalogListResult, error) {
	return h.Engine.Catalog.List(p)
}

// CatalogSearch does what [protocol.MethodCatalogSearch] asks for.
func (h *Host) CatalogSearch(ctx context.Context, p *protocol.CatalogSearchParams) (protocol.CatalogSearchResult, error) {
	return h.Engine.Catalog.Search(ctx, p)
}

// SetHostTools does what [protocol.MethodSetHostTools] asks for.
func (h *Host) SetHostTools(_ context.Context, p *protocol.SetHostToolsParams) (protocol.SetHostToolsResult, error) {
	return h.Engine.VSCode.Set(p)
}

// ServerConsent does what [protocol.MethodServerConsent] asks for.
func (h *Host) ServerConsent(ctx context.Context, p *protocol.ServerConsentParams) (protocol.Empty, error) {
	return done(h.Engine.Consent(ctx, p))
}

// ServerLog does what [protocol.MethodServerLog] asks for.
func (h *Host) ServerLog(_ context.Context, p *protocol.ServerParams) (protocol.ServerLogResult, error) {
	text, err := h.Engine.Upstream.Log(p.Name)
	return protocol.ServerLogResult{Text: text}, err
}

// ServerRestart does what [protocol.MethodServerRestart] asks for.
func (h *Host) ServerRestart(_ context.Context, p *protocol.ServerParams) (protocol.Empty, error) {
	return done(h.Engine.Upstream.Restart(p.Name))
}

// ServerStop does what [protocol.MethodServerStop] asks for.
func (h *Host) ServerStop(_ context.Context, p *protocol.ServerParams) (protocol.Empty, error) {
	return done(h.Engine.Upstream.Stop(p.Name))
}

// ServerSetEnabled does what [protocol.MethodServerSetEnabled] asks for.
func (h *Host) ServerSetEnabled(ctx context.Context, p *protocol.ServerSetEnabledParams) (protocol.EditResult, error) {
	return h.Engine.Edits.SetServerEnabled(ctx, p.Name, p.Enabled)
}

// ToolSetEnabled does what [protocol.MethodToolSetEnabled] asks for.
func (h *Host) ToolSetEnabled(ctx context.Context, p *protocol.ToolSetEnabledParams) (protocol.EditResult, error) {
	return h.Engine.Edits.SetToolEnabled(ctx, p.Server, p.Tool, p.Enabled)
}

// ToolApprove does what [protocol.MethodToolApprove] asks for.
func (h *Host) ToolApprove(ctx context.Context, p *protocol.ToolApproveParams) (protocol.EditResult, error) {
	return h.Engine.SetApproved(ctx, p)
}

// ToolSetAlwaysLoad does what [protocol.MethodToolSetAlwaysLoad] asks for.
func (h *Host) ToolSetAlwaysLoad(ctx context.Context, p *protocol.ToolSetAlwaysLoadParams) (protocol.EditResult, error) {
	return h.Engine.Edits.SetAlwaysLoad(ctx, p.Server, p.Tool, p.AlwaysLoad)
}

// ToolSetDescription does what [protocol.MethodToolSetDescription] asks for.
func (h *Host) ToolSetDescription(ctx context.Context, p *protocol.ToolSetDescriptionParams) (protocol.EditResult, error) {
	return h.Engine.Edits.SetDescription(ctx, p.Server, p.Tool, p.Description)
}

// ModeSetServerBlocked does what [protocol.MethodModeSetServerBlocked] asks for.
func (h *Host) ModeSetServerBlocked(ctx context.Context, p *protocol.ModeSetServerBlockedParams) (protocol.EditResult, error) {
	return h.Engine.Edits.ModeServer(ctx, p.Mode, p.Server, p.Blocked)
}

// EditUndo does what [protocol.MethodEditUndo] asks for.
func (h *Host) EditUndo(ctx context.Context, p *protocol.EditUndoParams) (protocol.EditResult, error) {
	return h.Engine.Edits.Undo(ctx, p.Edit)
}

// LockApprove does what [protocol.MethodLockApprove] asks for.
func (h *Host) LockApprove(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return h.Engine.ApproveLocked(ctx, p)
}

// LockKeep does what [protocol.MethodLockKeep] asks for.
func (h *Host) LockKeep(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return h.Engine.KeepLocked(ctx, p)
}

// LockUndo does what [protocol.MethodLockUndo] asks for.
func (h *Host) LockUndo(ctx context.Context, p *protocol.LockUndoParams) (protocol.LockDecideResult, error) {
	return h.Engine.UndoLocked(ctx, p)
}

// ApprovalList does what [protocol.MethodApprovalList] asks for.
func (h *Host) ApprovalList(context.Context, *protocol.Empty) (protocol.ApprovalListResult, error) {
	return protocol.ApprovalListResult{Approvals: h.Engine.Approvals.List()}, nil
}

// ApprovalRevoke does what [protocol.MethodApprovalRevoke] asks for.
func (h *Host) ApprovalRevoke(ctx context.Context, p *protocol.ApprovalRevokeParams) (protocol.Approval, error) {
	return h.Engine.Approvals.Revoke(ctx, p)
}

// TaskOpen does what [protocol.MethodTaskOpen] asks for.
func (h *Host) TaskOpen(ctx context.Context, p *protocol.TaskOpenParams) (protocol.Attachment, error) {
	return worked(h.Engine.Turns.Open(ctx, p))
}

// TaskTurn does what [protocol.MethodTaskTurn] asks for.
func (h *Host) TaskTurn(ctx context.Context, p *protocol.TaskTurnParams) (protocol.Attachment, error) {
	return inTask(ctx, h.Engine.Tasks.Of(principal.Local).Get, p.Task, h.Engine.Turns.Turn, p)
}

// TaskCompact does what [protocol.MethodTaskCompact] asks for.
func (h *Host) TaskCompact(ctx context.Context, p *protocol.TaskCompactParams) (protocol.Attachment, error) {
	return inTask(ctx, h.Engine.Tasks.Of(principal.Local).Get, p.Task, h.Engine.Turns.Compact, p)
}

// TaskResume does what [protocol.MethodTaskResume] asks for.
func (h *Host) TaskResume(_ context.Context, p *protocol.TaskResumeParams) (protocol.Attachment, error) {
	return h.Engine.Turns.Resume(p)
}

// TaskClose does what [protocol.MethodTaskClose] asks for.
func (h *Host) TaskClose(_ context.Context, p *protocol.TaskParams) (protocol.Empty, error) {
	return done(h.Engine.Turns.Close(p.Task))
}

// TaskExplain does what [protocol.MethodTaskExplain] asks for.
func (h *Host) TaskExplain(ctx context.Context, p *protocol.TaskExplainParams) (protocol.TaskExplainResult, error) {
	return inTask(ctx, h.Engine.Tasks.Of(principal.Local).Look, p.Task, func(ctx context.Context, e *tasks.Entry, p *protocol.TaskExplainParams) (protocol.TaskExplainResult, error) {
		return h.Engine.Inspector.Explain(ctx, e, p)
	}, p)
}

// TaskUsage does what [protocol.MethodTaskUsage] asks for.
func (h *Host) TaskUsage(ctx context.Context, p *protocol.TaskUsageParams) (protocol.TaskUsageResult, error) {
	return inTask(ctx, h.Engine.Tasks.Of(principal.Local).Look, p.Task, func(_ context.Context, e *tasks.Entry, p *protocol.TaskUsageParams) (protocol.TaskUsageResult, error) {
		return h.Engine.Inspector.Usage(e, p)
	}, p)
}

// TaskLoad does what [protocol.MethodTaskLoad] asks for.
func (h *Host) TaskLoad(ctx context.Context, p *protocol.TaskLoadParams) (protocol.TaskLoadResult, error) {
	return inTask(ctx, h.Engine.Tasks.Of(principal.Local).Get, p.Task, h.Engine.Requests.Load, p)
}

// TaskSearch does what [protocol.MethodTaskSearch] asks for.
func (h *Host) TaskSearch(ctx context.Context, p *protocol.TaskSearchParams) (protocol.TaskSearchResult, error) {
	return inTask(ctx, h.Engine.Tasks.Of(principal.Local).Get, p.Task, h.Engine.Loads.Search, p)
}

// TaskDescribeCall does what [protocol.MethodTaskDescribeCall] asks for.
func (h *Host) TaskDescribeCall(ctx context.Context, p *protocol.TaskDescribeCallParams) (protocol.TaskDescribeCallResult, error) {
	return inTask(ctx, h.Engine.Tasks.Of(principal.Local).Get, p.Task, func(_ context.Context, e *tasks.Entry, p *protocol.TaskDescribeCallParams) (protocol.TaskDescribeCallResult, error) {
		return h.Engine.Calls.Describe(e, p)
	}, p)
}

// TaskCall does what [protocol.MethodTaskCall] asks for.
func (h *Host) TaskCall(ctx context.Context, p *protocol.TaskCallParams) (protocol.TaskCallResult, error) {
	return value(worked(h.Engine.Calls.Task(ctx, p, nil)))
}

// ConversationRoute does what [protocol.MethodConversationRoute] asks for.
func (h *Host) ConversationRoute(ctx context.Context, p *protocol.ConversationRouteParams) (protocol.ConversationRouteResult, error) {
	return worked(h.Engine.VSCode.Route(ctx, p))
}

// ConversationCall does what [protocol.MethodConversationCall] asks for.
func (h *Host) ConversationCall(ctx context.Context, p *protocol.ConversationCallParams) (protocol.TaskCallResult, error) {
	return worked(h.Engine.VSCode.Call(ctx, p))
}

// ConversationAnswer does what [protocol.MethodConversationAnswer] asks for.
func (h *Host) ConversationAnswer(_ context.Context, p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
	return h.Engine.VSCode.Answer(p)
}

// ImportList does what [protocol.MethodImportList] asks for.
func (h *Host) ImportList(context.Context, *protocol.Empty) (protocol.ImportListResult, error) {
	return h.Engine.Imports.List(), nil
}

// ImportPlan does what [protocol.MethodImportPlan] asks for, but for the words.
func (h *Host) ImportPlan(_ context.Context, p *protocol.ImportPlanParams) (protocol.ImportPlanResult, error) {
	return h.Engine.Imports.Plan(p)
}

// ImportApply does what [protocol.MethodImportApply] asks for.
func (h *Host) ImportApply(_ context.Context, p *protocol.ImportApplyParams) (protocol.ImportApplyResult, error) {
	return h.Engine.Imports.Apply(p)
}

// ImportPlanUndo does what [protocol.MethodImportPlanUndo] asks for, but for the
// words.
func (h *Host) ImportPlanUndo(_ context.Context, p *protocol.ImportPlanUndoParams) (protocol.ImportPlanUndoResult, error) {
	return h.Engine.Imports.PlanUndo(p)
}

// ImportUndo does what [protocol.MethodImportUndo] asks for.
func (h *Host) ImportUndo(_ context.Context, p *protocol.ImportUndoParams) (protocol.Empty, error) {
	return done(h.Engine.Imports.Undo(p))
}

// JournalList does what [protocol.MethodJournalList] asks for.
func (h *Host) JournalList(ctx context.Context, p *protocol.JournalListParams) (protocol.JournalListResult, error) {
	return h.Engine.Record.List(ctx, p)
}
