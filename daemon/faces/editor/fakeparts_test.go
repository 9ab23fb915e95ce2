package editor_test

import (
	"context"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// The parts of a fake engine, in the order of editor.Parts.

type fakeEngine struct{ *fake }

func (f fakeEngine) Start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started++
}

func (f fakeEngine) Close(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

func (f fakeEngine) ChangeSettings(p *protocol.DidChangeSettingsParams) {
	cannotFail[any](f.fake, "Engine.ChangeSettings", p)
}

func (f fakeEngine) ChangeFolders(p *protocol.DidChangeFoldersParams) {
	cannotFail[any](f.fake, "Engine.ChangeFolders", p)
}

func (f fakeEngine) GrantTrust() { cannotFail[any](f.fake, "Engine.GrantTrust") }

func (f fakeEngine) ClearLearned() error {
	_, err := mayFail[any](f.fake, "Engine.ClearLearned")
	return err
}

func (f fakeEngine) Consent(ctx context.Context, p *protocol.ServerConsentParams) error {
	_, err := mayWait[any](ctx, f.fake, "Engine.Consent", p)
	return err
}

func (f fakeEngine) SetApproved(ctx context.Context, p *protocol.ToolApproveParams) (protocol.EditResult, error) {
	return mayWait[protocol.EditResult](ctx, f.fake, "Engine.SetApproved", p)
}

func (f fakeEngine) ApproveLocked(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return mayWait[protocol.LockDecideResult](ctx, f.fake, "Engine.ApproveLocked", p)
}

func (f fakeEngine) KeepLocked(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return mayWait[protocol.LockDecideResult](ctx, f.fake, "Engine.KeepLocked", p)
}

func (f fakeEngine) UndoLocked(ctx context.Context, p *protocol.LockUndoParams) (protocol.LockDecideResult, error) {
	return mayWait[protocol.LockDecideResult](ctx, f.fake, "Engine.UndoLocked", p)
}

type fakeApprovals struct{ *fake }

func (f fakeApprovals) List() []protocol.Approval {
	return cannotFail[[]protocol.Approval](f.fake, "Approvals.List")
}

func (f fakeApprovals) Revoke(ctx context.Context, p *protocol.ApprovalRevokeParams) (protocol.Approval, error) {
	return mayWait[protocol.Approval](ctx, f.fake, "Approvals.Revoke", p)
}

func (f fakeEngine) AwaitServers(ctx context.Context, p *protocol.ServerWaitParams) (protocol.ServerWaitResult, error) {
	return mayWait[protocol.ServerWaitResult](ctx, f.fake, "Engine.AwaitServers", p)
}

type fakeRecord struct{ *fake }

func (f fakeRecord) List(ctx context.Context, p *protocol.JournalListParams) (protocol.JournalListResult, error) {
	return mayWait[protocol.JournalListResult](ctx, f.fake, "Record.List", p)
}

type fakeSettings struct{ *fake }

func (f fakeSettings) Load() *protocol.Settings {
	s := cannotFail[protocol.Settings](f.fake, "Settings.Load")
	return &s
}

type fakeWorkspace struct{ *fake }

func (f fakeWorkspace) Questions() []protocol.ConsentQuestion {
	return cannotFail[[]protocol.ConsentQuestion](f.fake, "Workspace.Questions")
}

func (f fakeWorkspace) NameOf(path string) string {
	return cannotFail[string](f.fake, "Workspace.NameOf", path)
}

type fakeCatalog struct{ *fake }

func (f fakeCatalog) List(p *protocol.CatalogListParams) (protocol.CatalogListResult, error) {
	return mayFail[protocol.CatalogListResult](f.fake, "Catalog.List", p)
}

func (f fakeCatalog) Search(ctx context.Context, p *protocol.CatalogSearchParams) (protocol.CatalogSearchResult, error) {
	return mayWait[protocol.CatalogSearchResult](ctx, f.fake, "Catalog.Search", p)
}

type fakeHostTools struct{ *fake }

func (f fakeHostTools) Set(p *protocol.SetHostToolsParams) (protocol.SetHostToolsResult, error) {
	return mayFail[protocol.SetHostToolsResult](f.fake, "HostTools.Set", p)
}

type fakeModes struct{ *fake }

func (f fakeModes) List() protocol.ModeListResult {
	return cannotFail[protocol.ModeListResult](f.fake, "Modes.List")
}

func (f fakeModes) Set(mode string) error {
	_, err := mayFail[any](f.fake, "Modes.Set", mode)
	return err
}

type fakeUpstream struct{ *fake }

func (f fakeUpstream) Restart(name string) error {
	_, err := mayFail[any](f.fake, "Upstream.Restart", name)
	return err
}

func (f fakeUpstream) Stop(name string) error {
	_, err := mayFail[any](f.fake, "Upstream.Stop", name)
	return err
}

func (f fakeUpstream) SignIn(ctx context.Context, name string) error {
	_, err := mayWait[any](ctx, f.fake, "Upstream.SignIn", name)
	return err
}

func (f fakeUpstream) Log(name string) (string, error) {
	return mayFail[string](f.fake, "Upstream.Log", name)
}

type fakeEdits struct{ *fake }

func (f fakeEdits) SetServerEnabled(ctx context.Context, server string, enabled bool) (protocol.EditResult, error) {
	return mayWait[protocol.EditResult](ctx, f.fake, "Edits.SetServerEnabled", server, enabled)
}

func (f fakeEdits) SetToolEnabled(ctx context.Context, server, tool string, enabled bool) (protocol.EditResult, error) {
	return mayWait[protocol.EditResult](ctx, f.fake, "Edits.SetToolEnabled", server, tool, enabled)
}

func (f fakeEdits) SetAlwaysLoad(ctx context.Context, server, tool string, always bool) (protocol.EditResult, error) {
	return mayWait[protocol.EditResult](ctx, f.fake, "Edits.SetAlwaysLoad", server, tool, always)
}

func (f fakeEdits) SetDescription(ctx context.Context, server, tool, description string) (protocol.EditResult, error) {
	return mayWait[protocol.EditResult](ctx, f.fake, "Edits.SetDescription", server, tool, description)
}

func (f fakeEdits) ModeServer(ctx context.Context, mode, server string, blocked bool) (protocol.EditResult, error) {
	return mayWait[protocol.EditResult](ctx, f.fake, "Edits.ModeServer", mode, server, blocked)
}

func (f fakeEdits) Undo(ctx context.Context, edit string) (protocol.EditResult, error) {
	return mayWait[protocol.EditResult](ctx, f.fake, "Edits.Undo", edit)
}

type fakeImports struct{ *fake }

func (f fakeImports) List() protocol.ImportListResult {
	return cannotFail[protocol.ImportListResult](f.fake, "Imports.List")
}

func (f fakeImports) Plan(p *protocol.ImportPlanParams) (protocol.ImportPlanResult, error) {
	return mayFail[protocol.ImportPlanResult](f.fake, "Imports.Plan", p)
}

func (f fakeImports) Apply(p *protocol.ImportApplyParams) (protocol.ImportApplyResult, error) {
	return mayFail[protocol.ImportApplyResult](f.fake, "Imports.Apply", p)
}

func (f fakeImports) History() (protocol.ImportHistoryResult, error) {
	return mayFail[protocol.ImportHistoryResult](f.fake, "Imports.History")
}

func (f fakeImports) PlanUndo(p *protocol.ImportPlanUndoParams) (protocol.ImportPlanUndoResult, error) {
	return mayFail[protocol.ImportPlanUndoResult](f.fake, "Imports.PlanUndo", p)
}

func (f fakeImports) Undo(p *protocol.ImportUndoParams) error {
	_, err := mayFail[any](f.fake, "Imports.Undo", p)
	return err
}

type fakeLocks struct{ *fake }

func (f fakeLocks) List() protocol.LockListResult {
	return cannotFail[protocol.LockListResult](f.fake, "Locks.List")
}

func (f fakeLocks) Diff(p *protocol.LockRef) (protocol.LockDiffResult, error) {
	return mayFail[protocol.LockDiffResult](f.fake, "Locks.Diff", p)
}

type fakeSavings struct{ *fake }

func (f fakeSavings) Clear() error {
	_, err := mayFail[any](f.fake, "Savings.Clear")
	return err
}

// fakeTasks has each task that it is asked for, with the tools of source "host".
type fakeTasks struct {
	*fake

	mu   sync.Mutex
	open map[string]*tasks.Entry // guarded by mu
}

func newTasks(f *fake) *fakeTasks { return &fakeTasks{fake: f, open: map[string]*tasks.Entry{}} }

func (f *fakeTasks) Get(id string) (*tasks.Entry, error) { return f.find("Tasks.Get", id) }

func (f *fakeTasks) find(of, id string) (*tasks.Entry, error) {
	if _, err := mayFail[any](f.fake, of, id); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open[id] == nil {
		f.open[id] = &tasks.Entry{ID: id}
		f.open[id].Change(router.Task{Source: "host"})
	}
	return f.open[id], nil
}

type fakeTurns struct{ *fake }

func (f fakeTurns) Open(ctx context.Context, p *protocol.TaskOpenParams) (tasks.Work[protocol.Attachment], error) {
	return placed[protocol.Attachment](ctx, f.fake, "Turns.Open", p)
}

func (f fakeTurns) Turn(ctx context.Context, t *tasks.Entry, p *protocol.TaskTurnParams) (protocol.Attachment, error) {
	return mayWait[protocol.Attachment](ctx, f.fake, "Turns.Turn", t.ID, p)
}

func (f fakeTurns) Compact(ctx context.Context, t *tasks.Entry, p *protocol.TaskCompactParams) (protocol.Attachment, error) {
	return mayWait[protocol.Attachment](ctx, f.fake, "Turns.Compact", t.ID, p)
}

func (f fakeTurns) Resume(p *protocol.TaskResumeParams) (protocol.Attachment, error) {
	return mayFail[protocol.Attachment](f.fake, "Turns.Resume", p)
}

func (f fakeTurns) Close(task string) error {
	_, err := mayFail[any](f.fake, "Turns.Close", task)
	return err
}

type fakeInspector struct {
	*fake
	tasks *fakeTasks
}

func (f fakeInspector) Past() (protocol.TaskListResult, error) {
	return mayFail[protocol.TaskListResult](f.fake, "Inspector.Past")
}

func (f fakeInspector) Look(id string) (*tasks.Entry, error) {
	return f.tasks.find("Inspector.Look", id)
}

func (f fakeInspector) Try(ctx context.Context, p *protocol.TaskWhyParams) (*tasks.Entry, error) {
	_, err := mayWait[any](ctx, f.fake, "Inspector.Try", p)
	e := &tasks.Entry{}
	e.Change(router.Task{Source: "host"})
	return e, err
}

func (f fakeInspector) List() (protocol.TaskListResult, error) {
	return mayFail[protocol.TaskListResult](f.fake, "Inspector.List")
}

func (f fakeInspector) Explain(ctx context.Context, t *tasks.Entry, p *protocol.TaskExplainParams) (protocol.TaskExplainResult, error) {
	return mayWait[protocol.TaskExplainResult](ctx, f.fake, "Inspector.Explain", t.ID, p)
}

func (f fakeInspector) Usage(t *tasks.Entry, p *protocol.TaskUsageParams) (protocol.TaskUsageResult, error) {
	return mayFail[protocol.TaskUsageResult](f.fake, "Inspector.Usage", t.ID, p)
}

type fakeRequests struct{ *fake }

func (f fakeRequests) Load(ctx context.Context, t *tasks.Entry, p *protocol.TaskLoadParams) (protocol.TaskLoadResult, error) {
	return mayWait[protocol.TaskLoadResult](ctx, f.fake, "Requests.Load", t.ID, p)
}

func (f fakeRequests) Route(ctx context.Context, p *protocol.ConversationRouteParams) (tasks.Work[protocol.ConversationRouteResult], error) {
	return placed[protocol.ConversationRouteResult](ctx, f.fake, "Requests.Route", p)
}

func (f fakeRequests) Call(ctx context.Context, p *protocol.ConversationCallParams) (tasks.Work[protocol.TaskCallResult], error) {
	return placed[protocol.TaskCallResult](ctx, f.fake, "Requests.Call", p)
}

func (f fakeRequests) Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
	return mayFail[protocol.ConversationAnswerResult](f.fake, "Requests.Answer", p)
}

type fakeCalls struct{ *fake }

func (f fakeCalls) Describe(t *tasks.Entry, p *protocol.TaskDescribeCallParams) (protocol.TaskDescribeCallResult, error) {
	return mayFail[protocol.TaskDescribeCallResult](f.fake, "Calls.Describe", t.ID, p)
}

// Task reports that half of the work is done, to who wants to know. Where a test
// has no answer for it, it answers with the name of the tool.
func (f fakeCalls) Task(ctx context.Context, p *protocol.TaskCallParams, progress func(upstream.Progress)) (tasks.Work[*protocol.TaskCallResult], error) {
	if progress != nil {
		progress(upstream.Progress{Progress: 2, Total: 4, Message: "half of it"})
	}
	work, err := placed[*protocol.TaskCallResult](ctx, f.fake, "Calls.Task", p)
	if err != nil {
		return nil, err
	}
	return func() (*protocol.TaskCallResult, error) {
		r, err := work()
		if r == nil {
			r = &protocol.TaskCallResult{Tool: p.Name}
		}
		return r, err
	}, nil
}

type fakeLoads struct{ *fake }

func (f fakeLoads) Search(ctx context.Context, t *tasks.Entry, p *protocol.TaskSearchParams) (protocol.TaskSearchResult, error) {
	return mayWait[protocol.TaskSearchResult](ctx, f.fake, "Loads.Search", t.ID, p)
}

// fakeGateway is the gateway of a session over a fake engine.
type fakeGateway struct{ *fake }

func (f fakeGateway) Info() (protocol.GatewayInfoResult, error) {
	return mayFail[protocol.GatewayInfoResult](f.fake, "Gateway.Info")
}

func (f fakeGateway) FollowFolders() { cannotFail[any](f.fake, "Gateway.FollowFolders") }

func (f fakeGateway) Close() error { return nil }
