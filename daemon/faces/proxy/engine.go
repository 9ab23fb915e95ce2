package proxy

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Engine returns e as a [Router].
func Engine(e *engine.Engine) Router { return engineRouter{e} }

type engineRouter struct{ engine *engine.Engine }

// SetTools implements [Router].
func (r engineRouter) SetTools(source string, tools []protocol.HostTool) error {
	_, err := r.engine.HostTools.Set(&protocol.SetHostToolsParams{Source: source, Tools: tools})
	return err
}

// Route implements [Router].
func (r engineRouter) Route(ctx context.Context, p *protocol.ConversationRouteParams) (protocol.ConversationRouteResult, error) {
	work, err := r.engine.Requests.Route(ctx, p)
	if err != nil {
		return protocol.ConversationRouteResult{}, err
	}
	return work()
}

// Call implements [Router].
func (r engineRouter) Call(ctx context.Context, p *protocol.ConversationCallParams) (protocol.TaskCallResult, error) {
	work, err := r.engine.Requests.Call(ctx, p)
	if err != nil {
		return protocol.TaskCallResult{}, err
	}
	return work()
}

// Answered implements [Router].
func (r engineRouter) Answered(task string, request int64) { r.engine.Requests.Answered(task, request) }

// Answer implements [Router].
func (r engineRouter) Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
	return r.engine.Requests.Answer(p)
}

// Rules implements [Router].
func (r engineRouter) Rules(source string, tools []protocol.HostTool) []protocol.Cause {
	v, viewErr := r.engine.Tasks.View(source, r.engine.Modes.None()) // without it nothing is locked
	rules := make([]protocol.Cause, len(tools))
	for i := range tools {
		t := &tools[i]
		rules[i] = r.engine.Modes.ToolRule(router.ToolID{Server: t.Server, Tool: t.Tool}, t.Name)
		if viewErr != nil {
			continue
		}
		if at, ok := v.Catalog.Lookup(router.ToolID{Server: t.Server, Tool: t.Name}); ok && v.Catalog.Tools[at].Lock.Held.Kind != "" {
			rules[i] = v.Catalog.Tools[at].Lock.Held
		}
	}
	return rules
}

// NamesRepeats implements [Router].
func (r engineRouter) NamesRepeats() bool { return r.engine.Settings.Load().NamesRepeats() }

// Servers implements [Router].
func (r engineRouter) Servers() []string { return r.engine.Workspace.Configuration().ServerNames() }
