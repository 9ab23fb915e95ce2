package proxy

import (
	"context"

	"github.com/winnow-mcp/winnow/protocol"
)

// Router decides what a request carries: the engine, as this face needs it.
type Router interface {
	// SetTools makes the tools of requests known under a source. An empty list
	// forgets the source.
	SetTools(source string, tools []protocol.HostTool) error
	// Route finds the task that a request belongs to, what it attaches, and
	// what the client's history lacks.
	Route(ctx context.Context, p *protocol.ConversationRouteParams) (protocol.ConversationRouteResult, error)
	// Call answers a call of mcp_load. What is refused is an answer too.
	Call(ctx context.Context, p *protocol.ConversationCallParams) (protocol.TaskCallResult, error)
	// Answered notes that the provider answers a request; one that fails saves nothing.
	Answered(task string, request int64)
	// Answer takes what the model answered, and says what comes next.
	Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error)
	// Rules says of each tool what keeps it out of requests now, a rule of the
	// user's or the lock on tools; the zero cause when nothing does.
	Rules(source string, tools []protocol.HostTool) []protocol.Cause
	// NamesRepeats reports whether results that a request has already may be named,
	// in place of being sent again.
	NamesRepeats() bool
	// Servers names the MCP servers that the configuration knows, also by a rule
	// alone.
	Servers() []string
}
