package proxy

import (
	"context"
	"encoding/json"

	"github.com/winnow-mcp/winnow/protocol"
)

// Router decides what a request carries: the engine, as this face needs it.
type Router interface {
	// SetTools makes the tools of requests known under a source. An empty list
	// forgets the source.
	SetTools(ctx context.Context, source string, tools []protocol.HostTool) error
	// Route finds the task that a request belongs to, and what it attaches.
	Route(ctx context.Context, p *protocol.ConversationRouteParams) (protocol.ConversationRouteResult, error)
	// Load answers the model's call of mcp_load in a task. What is wrong with
	// the arguments is said in the text, and failed is true.
	Load(ctx context.Context, task string, arguments json.RawMessage) (text string, failed bool, err error)
	// Servers names the MCP servers that the configuration knows.
	Servers() []string
}
