package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// Request implements [Connection].
func (c *mcpConn) Request(ctx context.Context, timeout time.Duration, r Request) (json.RawMessage, error) {
	method := mcp.MCPMethod(r.Method)
	switch method {
	case mcp.MethodSetLogLevel:
		if c.session.era == EraModern {
			return nil, c.session.setLevel(r.Params)
		}
	case mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList, mcp.MethodPromptsList:
		known, changes := c.notices.lists.get(method, r.Params)
		if known != nil {
			return known, nil
		}
		answer, err := c.requestNow(ctx, timeout, r)
		if err == nil {
			c.notices.lists.put(method, r.Params, answer, changes)
		}
		return answer, err
	case mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodCompletionComplete:
	default:
		return nil, fmt.Errorf("%s is not passed through", r.Method)
	}
	return c.requestNow(ctx, timeout, r)
}

// requestNow makes the request without the cache.
func (c *mcpConn) requestNow(ctx context.Context, timeout time.Duration, r Request) (json.RawMessage, error) {
	ctx = context.WithValue(ctx, callerKey{}, r.Caller)
	answer, err := c.do(ctx, timeout, func(ctx context.Context) (json.RawMessage, error) {
		return c.exchange(ctx, mcp.MCPMethod(r.Method), r.Params)
	}, nil, nil)
	if err != nil {
		return nil, c.requestError(r.Method, timeout, err)
	}
	return cleanAnswer(c.clean, r.Method, answer)
}

// setLevel sets the log level that every further request carries, as 2026-07-28
// prescribes.
func (s *session) setLevel(params json.RawMessage) error {
	var wanted struct {
		Level string `json:"level"`
	}
	if err := json.Unmarshal(params, &wanted); err != nil {
		return fmt.Errorf("%s: params: %w", mcp.MethodSetLogLevel, err)
	}
	s.level.Store(&wanted.Level)
	return nil
}

// cleanAnswer removes hidden text from a list, and marks it in the text of a resource or
// prompt.
func cleanAnswer(clean clean.Cleaner, method string, raw json.RawMessage) (json.RawMessage, error) {
	switch mcp.MCPMethod(method) {
	case mcp.MethodResourcesList:
		return clean.List(method, "resources", raw)
	case mcp.MethodResourcesTemplatesList:
		return clean.List(method, "resourceTemplates", raw)
	case mcp.MethodPromptsList:
		return clean.List(method, "prompts", raw)
	default:
		return clean.Result(method, raw), nil
	}
}

// Request is an MCP request other than tools/call.
type Request struct {
	Server string
	// Method is one of resources/list, resources/templates/list,
	// resources/read, prompts/list, prompts/get, completion/complete and
	// logging/setLevel.
	Method string
	// Params is the params object; empty means {}.
	Params json.RawMessage
	// Caller answers the server's requests; if nil, they are refused.
	Caller *Caller
}
