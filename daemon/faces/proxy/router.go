package proxy

import (
	"context"

	"github.com/winnow-mcp/winnow/protocol"
)

// Router declares the methods of the engine that this face calls. They decide what a
// request carries.
type Router interface {
	// SetTools registers the tools of requests under a source. An empty list removes the
	// source.
	SetTools(source string, tools []protocol.HostTool) error
	// Route returns the task of a request, its attachment, and what the client's history
	// lacks.
	Route(ctx context.Context, p *protocol.ConversationRouteParams) (protocol.ConversationRouteResult, error)
	// Call runs a call of mcp_load. A refusal is a result, not an error.
	Call(ctx context.Context, p *protocol.ConversationCallParams) (protocol.TaskCallResult, error)
	// Answered records that the provider has answered a request. Failed requests save
	// nothing.
	Answered(task string, request int64)
	// Answer records a response of the model, and returns what to do next.
	Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error)
	// Rules returns for each tool what excludes it from requests: a rule of the user or
	// the lock on tools. The zero cause means nothing.
	Rules(source string, tools []protocol.HostTool) []protocol.Cause
	// NamesRepeats reports whether repeated results may be replaced by a reference.
	NamesRepeats() bool
	// Servers returns the MCP servers in the configuration, including those with only a
	// rule.
	Servers() []string
}
