package upstream

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// relay hands what a server asks its client to who is calling the server. It
// implements mcp-go's handlers for all that can be asked.
type relay struct{ conn *mcpConn }

// CreateMessage implements client.SamplingHandler.
func (r relay) CreateMessage(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return relayed[mcp.CreateMessageResult](ctx, r.conn, mcp.MethodSamplingCreateMessage, request.CreateMessageParams)
}

// Elicit implements client.ElicitationHandler.
func (r relay) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return relayed[mcp.ElicitationResult](ctx, r.conn, mcp.MethodElicitationCreate, request.Params)
}

// ListRoots implements client.RootsHandler.
func (r relay) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return relayed[mcp.ListRootsResult](ctx, r.conn, mcp.MethodListRoots, struct{}{})
}

func relayed[T any](ctx context.Context, c *mcpConn, method mcp.MCPMethod, params any) (*T, error) {
	raw, err := c.ask(ctx, string(method), params)
	if err != nil {
		return nil, err
	}
	var result T
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("%s: the client answered something else: %w", method, err)
	}
	return &result, nil
}
