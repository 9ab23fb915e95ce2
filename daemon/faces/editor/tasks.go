package editor

import (
	"context"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// taskRoutes returns the routes that open, continue and inspect tasks.
func taskRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodTaskOpen:    placed(e.Turns.Open),
		protocol.MethodTaskTurn:    inTask(e.Tasks.Get, func(p *protocol.TaskTurnParams) string { return p.Task }, e.Turns.Turn),
		protocol.MethodTaskCompact: inTask(e.Tasks.Get, func(p *protocol.TaskCompactParams) string { return p.Task }, e.Turns.Compact),
		protocol.MethodTaskResume:  rpc.Sync(plain(e.Turns.Resume)),
		protocol.MethodTaskClose:   rpc.Sync(done(func(_ context.Context, p *protocol.TaskParams) error { return e.Turns.Close(p.Task) })),
		protocol.MethodTaskList:    rpc.Sync(bare(e.Inspector.List)),
		protocol.MethodTaskRows: rpc.Sync(func(context.Context, *protocol.Empty) (protocol.TaskRowsResult, error) {
			list, err := e.Inspector.List()
			return display.Tasks(&list), err
		}),
		protocol.MethodTaskPast: rpc.Sync(func(context.Context, *protocol.Empty) (protocol.TaskRowsResult, error) {
			list, err := e.Inspector.Past()
			return display.Tasks(&list), err
		}),
		// Inspecting a task does not count as use.
		protocol.MethodTaskExplain: inTask(e.Inspector.Look, func(p *protocol.TaskExplainParams) string { return p.Task }, e.Inspector.Explain),
		protocol.MethodTaskTools: inTask(e.Inspector.Look, func(p *protocol.TaskParams) string { return p.Task },
			func(ctx context.Context, t *tasks.Entry, p *protocol.TaskParams) (protocol.TaskToolsResult, error) {
				explained, err := e.Inspector.Explain(ctx, t, &protocol.TaskExplainParams{Task: p.Task})
				return protocol.TaskToolsResult{Rows: display.TaskTools(explained.Tools)}, err
			}),
		protocol.MethodTaskWhy: placed(func(ctx context.Context, p *protocol.TaskWhyParams) (tasks.Work[protocol.TaskWhyResult], error) {
			if p.Message != "" {
				return func() (protocol.TaskWhyResult, error) { return try(ctx, e, p) }, nil
			}
			t, err := e.Inspector.Look(p.Task)
			if err != nil {
				return nil, err
			}
			return tasks.InOrder(ctx, t, func() (protocol.TaskWhyResult, error) { return why(ctx, e, t, p) }), nil
		}),
		protocol.MethodTaskUsage: inTask(e.Inspector.Look, func(p *protocol.TaskUsageParams) string { return p.Task },
			func(_ context.Context, t *tasks.Entry, p *protocol.TaskUsageParams) (protocol.TaskUsageResult, error) {
				return e.Inspector.Usage(t, p)
			}),
		protocol.MethodTaskUsageRows: inTask(e.Inspector.Look, func(p *protocol.TaskUsageRowsParams) string { return p.Task }, e.usageRows),
		protocol.MethodTaskReport: inTask(e.Inspector.Look, func(p *protocol.TaskReportParams) string { return p.Task },
			func(ctx context.Context, t *tasks.Entry, p *protocol.TaskReportParams) (protocol.Report, error) {
				if p.About == protocol.ReportUsage {
					return usageReport(e, t, p)
				}
				return whyReport(ctx, e, t, p)
			}),
	}
}

// why returns, for each tool, why a task has it or not, in the form of a page.
func why(ctx context.Context, e *parts, t *tasks.Entry, p *protocol.TaskWhyParams) (protocol.TaskWhyResult, error) {
	explained, err := e.Inspector.Explain(ctx, t, &protocol.TaskExplainParams{Task: p.Task})
	if err != nil {
		return protocol.TaskWhyResult{}, err
	}
	task, _, _ := t.Snapshot()
	list, err := e.Catalog.List(&protocol.CatalogListParams{Source: task.Source, WithOwn: true})
	return display.Why(p, &explained, &list), err
}

// try is why for the task that would begin with a message.
func try(ctx context.Context, e *parts, p *protocol.TaskWhyParams) (protocol.TaskWhyResult, error) {
	t, err := e.Inspector.Try(ctx, p)
	if err != nil {
		return protocol.TaskWhyResult{}, err
	}
	return why(ctx, e, t, p)
}

// usageRows returns what fills the context of a task, in the form of a panel.
func (e *parts) usageRows(_ context.Context, t *tasks.Entry, p *protocol.TaskUsageRowsParams) (protocol.TaskUsageRowsResult, error) {
	usage, err := e.Inspector.Usage(t, &p.TaskUsageParams)
	if err != nil {
		return protocol.TaskUsageRowsResult{}, err
	}
	list, err := listWith(e, p.Task)
	if err != nil {
		return protocol.TaskUsageRowsResult{}, err
	}
	task, _, _ := t.Snapshot()
	catalog, err := e.Catalog.List(&protocol.CatalogListParams{Source: task.Source, WithOwn: true})
	return display.Usage(p, &usage, &list, catalog.Tools), err
}

// listWith returns the open tasks. If the given task is not open, those of earlier
// sessions are included.
func listWith(e *parts, task string) (protocol.TaskListResult, error) {
	list, err := e.Inspector.List()
	if err == nil && !slices.ContainsFunc(list.Tasks, func(s protocol.TaskSummary) bool { return s.Task == task }) {
		var past protocol.TaskListResult
		past, err = e.Inspector.Past()
		list.Tasks = append(list.Tasks, past.Tasks...)
	}
	return list, err
}

func whyReport(ctx context.Context, e *parts, t *tasks.Entry, p *protocol.TaskReportParams) (protocol.Report, error) {
	r, err := e.Inspector.Explain(ctx, t, &protocol.TaskExplainParams{Task: p.Task, Tool: p.Tool})
	if err != nil {
		return protocol.Report{}, err
	}
	if p.Tool == "" {
		return protocol.Report{Markdown: display.WhyReport(&r)}, nil
	}
	reports := make([]string, len(r.Tools))
	for i := range r.Tools {
		reports[i] = display.WhyToolReport(&r.Tools[i])
	}
	return protocol.Report{Markdown: strings.Join(reports, "\n\n---\n\n")}, nil
}

func usageReport(e *parts, t *tasks.Entry, p *protocol.TaskReportParams) (protocol.Report, error) {
	usage, err := e.Inspector.Usage(t, &protocol.TaskUsageParams{Task: p.Task, Sections: p.Sections})
	if err != nil {
		return protocol.Report{}, err
	}
	list, err := listWith(e, p.Task)
	i := slices.IndexFunc(list.Tasks, func(s protocol.TaskSummary) bool { return s.Task == p.Task })
	if err != nil || i < 0 {
		return protocol.Report{}, err
	}
	return protocol.Report{Markdown: display.UsageReport(&usage, &list.Tasks[i])}, nil
}

// callRoutes returns the routes by which a task loads, searches and calls tools. notify
// sends a notification to the host.
func callRoutes(e *parts, notify func(method string, params any)) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodTaskLoad: inTask(e.Tasks.Get, func(p *protocol.TaskLoadParams) string { return p.Task },
			func(ctx context.Context, t *tasks.Entry, p *protocol.TaskLoadParams) (protocol.TaskLoadResult, error) {
				r, err := e.Requests.Load(ctx, t, p)
				r.Report = display.LoadReport(&r, p.Query)
				return r, err
			}),
		protocol.MethodTaskSearch: inTask(e.Tasks.Get, func(p *protocol.TaskSearchParams) string { return p.Task }, e.Loads.Search),
		protocol.MethodTaskDescribeCall: inTask(e.Tasks.Get, func(p *protocol.TaskDescribeCallParams) string { return p.Task },
			func(_ context.Context, t *tasks.Entry, p *protocol.TaskDescribeCallParams) (protocol.TaskDescribeCallResult, error) {
				r, err := e.Calls.Describe(t, p)
				r.Question = display.Question(&r)
				return r, err
			}),
		protocol.MethodTaskCall: placed(func(ctx context.Context, p *protocol.TaskCallParams) (tasks.Work[*protocol.TaskCallResult], error) {
			return e.Calls.Task(ctx, p, progress(p.ProgressToken, notify))
		}),
	}
}

// conversationRoutes returns the routes for stateless hosts.
func conversationRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodConversationRoute:  placed(e.Requests.Route),
		protocol.MethodConversationCall:   placed(e.Requests.Call),
		protocol.MethodConversationAnswer: rpc.Sync(plain(e.Requests.Answer)),
		protocol.MethodChatBegin: rpc.Sync(func(_ context.Context, p *protocol.ChatBeginParams) (protocol.ChatBeginResult, error) {
			return chats.BeginTurn(p), nil
		}),
		protocol.MethodChatKeep: rpc.Sync(func(_ context.Context, p *protocol.ChatKeepParams) (protocol.ChatKeepResult, error) {
			return chats.KeepTurn(p), nil
		}),
	}
}

// progress returns a function that forwards a call's progress, or nil if the host sent no
// token.
func progress(token string, notify func(method string, params any)) func(upstream.Progress) {
	if token == "" {
		return nil
	}
	return func(p upstream.Progress) {
		v := protocol.ProgressValue{Kind: protocol.ProgressReport, Message: p.Message}
		if p.Total > 0 {
			percentage := 100 * p.Progress / p.Total
			v.Percentage = &percentage
		}
		notify(protocol.MethodProgress, protocol.ProgressParams{Token: token, Value: v})
	}
}
