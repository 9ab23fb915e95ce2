package proxy

import (
	"context"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/protocol"
)

// Engine returns the engine as a [Router].
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
func (r engineRouter) Call(ctx context.Context, p *protocol.ConversationCallParams) (protocol.ConversationCallResult, error) {
	work, err := r.engine.Requests.Call(ctx, p)
	if err != nil {
		return protocol.ConversationCallResult{}, err
	}
	return work()
}

// Answer implements [Router].
func (r engineRouter) Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
	return r.engine.Requests.Answer(p)
}

// Servers implements [Router].
func (r engineRouter) Servers() []string {
	var names []string
	for i := range r.engine.Workspace.Configuration().Servers {
		names = append(names, r.engine.Workspace.Configuration().Servers[i].Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
