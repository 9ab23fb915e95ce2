package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// callRoutes are the methods by which a task loads, searches and calls tools.
// notify tells the host.
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

// conversationRoutes are the methods of hosts that are stateless.
func conversationRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodConversationRoute: placed(e.Requests.Route),
		protocol.MethodConversationCall:  placed(e.Requests.Call),
		protocol.MethodConversationAnswer: rpc.Sync(func(_ context.Context, p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
			return e.Requests.Answer(p)
		}),
	}
}

// progress returns what forwards a call's progress; nil when the host did not
// ask for it.
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
