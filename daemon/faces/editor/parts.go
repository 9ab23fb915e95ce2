package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// parts declares the methods of the engine that this face calls. They are documented
// where they are implemented: the parts of [engine.Engine] have the same names.
type parts struct {
	// Engine has the methods that concern more than one part.
	Engine interface {
		session
		userAnswers
		AwaitServers(ctx context.Context, p *protocol.ServerWaitParams) (protocol.ServerWaitResult, error)
		ClearLearned() error
	}
	Record interface {
		List(ctx context.Context, p *protocol.JournalListParams) (protocol.JournalListResult, error)
	}
	Settings  interface{ Load() *protocol.Settings }
	Workspace interface {
		Questions() []protocol.ConsentQuestion
		NameOf(path string) string
	}
	Catalog interface {
		List(p *protocol.CatalogListParams) (protocol.CatalogListResult, error)
		Search(ctx context.Context, p *protocol.CatalogSearchParams) (protocol.CatalogSearchResult, error)
	}
	HostTools interface {
		Set(p *protocol.SetHostToolsParams) (protocol.SetHostToolsResult, error)
	}
	Modes interface {
		List() protocol.ModeListResult
		Set(mode string) error
	}
	Upstream servers
	Edits    edits
	Imports  imports
	Locks    interface {
		List() protocol.LockListResult
		Diff(p *protocol.LockRef) (protocol.LockDiffResult, error)
	}
	Approvals interface {
		List() []protocol.Approval
		Revoke(ctx context.Context, p *protocol.ApprovalRevokeParams) (protocol.Approval, error)
	}
	Savings   interface{ Clear() error }
	Tasks     openTasks
	Turns     turns
	Inspector inspector
	Requests  requests
	Calls     calls
	Loads     interface {
		Search(ctx context.Context, t *tasks.Entry, p *protocol.TaskSearchParams) (protocol.TaskSearchResult, error)
	}
}

// partsOf returns the parts of an engine.
func partsOf(e *engine.Engine) *parts {
	return &parts{
		Engine: e, Record: e.Record, Settings: e.Settings, Workspace: e.Workspace, Catalog: e.Catalog, HostTools: e.VSCode, Modes: e.Modes,
		Upstream: e.Upstream, Edits: e.Edits, Imports: e.Imports, Locks: e.Locks, Approvals: e.Approvals, Savings: e.Learned.Savings,
		Tasks: e.Tasks.Of(principal.Local), Turns: e.Turns, Inspector: e.Inspector, Requests: e.VSCode, Calls: e.Calls, Loads: e.Loads,
	}
}

// session has the methods of the host's lifecycle.
type session interface {
	Start()
	ChangeSettings(p *protocol.DidChangeSettingsParams)
	ChangeFolders(p *protocol.DidChangeFoldersParams)
	GrantTrust()
	Close(ctx context.Context) error
}

// userAnswers records the user's decisions. They are in force when the methods return.
type userAnswers interface {
	Consent(ctx context.Context, p *protocol.ServerConsentParams) error
	SetApproved(ctx context.Context, p *protocol.ToolApproveParams) (protocol.EditResult, error)
	ApproveLocked(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error)
	KeepLocked(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error)
	UndoLocked(ctx context.Context, p *protocol.LockUndoParams) (protocol.LockDecideResult, error)
}

type servers interface {
	Restart(name string) error
	Stop(name string) error
	SignIn(ctx context.Context, name string) error
	Log(name string) (string, error)
}

type edits interface {
	SetServerEnabled(ctx context.Context, server string, enabled bool) (protocol.EditResult, error)
	SetToolEnabled(ctx context.Context, server, tool string, enabled bool) (protocol.EditResult, error)
	SetAlwaysLoad(ctx context.Context, server, tool string, always bool) (protocol.EditResult, error)
	SetDescription(ctx context.Context, server, tool, description string) (protocol.EditResult, error)
	ModeServer(ctx context.Context, mode, server string, blocked bool) (protocol.EditResult, error)
	Undo(ctx context.Context, edit string) (protocol.EditResult, error)
}

type imports interface {
	List() protocol.ImportListResult
	Plan(p *protocol.ImportPlanParams) (protocol.ImportPlanResult, error)
	Apply(p *protocol.ImportApplyParams) (protocol.ImportApplyResult, error)
	History() (protocol.ImportHistoryResult, error)
	PlanUndo(p *protocol.ImportPlanUndoParams) (protocol.ImportPlanUndoResult, error)
	Undo(p *protocol.ImportUndoParams) error
}

// openTasks finds open tasks.
type openTasks interface {
	Get(id string) (*tasks.Entry, error)
}

type turns interface {
	Open(ctx context.Context, p *protocol.TaskOpenParams) (tasks.Work[protocol.Attachment], error)
	Turn(ctx context.Context, t *tasks.Entry, p *protocol.TaskTurnParams) (protocol.Attachment, error)
	Compact(ctx context.Context, t *tasks.Entry, p *protocol.TaskCompactParams) (protocol.Attachment, error)
	Resume(p *protocol.TaskResumeParams) (protocol.Attachment, error)
	Close(task string) error
}

type inspector interface {
	List() (protocol.TaskListResult, error)
	Past() (protocol.TaskListResult, error)
	Look(id string) (*tasks.Entry, error)
	Try(ctx context.Context, p *protocol.TaskWhyParams) (*tasks.Entry, error)
	Explain(ctx context.Context, t *tasks.Entry, p *protocol.TaskExplainParams) (protocol.TaskExplainResult, error)
	Usage(t *tasks.Entry, p *protocol.TaskUsageParams) (protocol.TaskUsageResult, error)
}

// requests has the methods for stateless hosts, and those shared with other hosts.
type requests interface {
	Load(ctx context.Context, t *tasks.Entry, p *protocol.TaskLoadParams) (protocol.TaskLoadResult, error)
	Route(ctx context.Context, p *protocol.ConversationRouteParams) (tasks.Work[protocol.ConversationRouteResult], error)
	Call(ctx context.Context, p *protocol.ConversationCallParams) (tasks.Work[protocol.TaskCallResult], error)
	Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error)
}

type calls interface {
	Describe(t *tasks.Entry, p *protocol.TaskDescribeCallParams) (protocol.TaskDescribeCallResult, error)
	Task(ctx context.Context, p *protocol.TaskCallParams, progress func(upstream.Progress)) (tasks.Work[*protocol.TaskCallResult], error)
}
