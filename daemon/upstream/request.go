package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// request implements connection.
func (c *mcpConn) request(ctx context.Context, timeout time.Duration, r Request) (json.RawMessage, error) {
	send, err := c.sender(r)
	if err != nil {
		return nil, err
	}
	ctx = context.WithValue(ctx, callerKey{}, r.Caller)
	answer, err := c.do(ctx, timeout, send, nil, nil)
	switch {
	case errors.Is(err, errTimeout):
		return nil, &TimeoutError{Server: c.server, What: r.Method, Timeout: timeout}
	case answer.err != nil:
		return nil, c.rpcError(r.Method, answer.err)
	case answer.result == nil && err != nil:
		return nil, err
	}
	// What mcp-go makes of the answer does not count: whoever asked reads it.
	return c.unhideAnswer(r.Method, answer.result)
}

// sender returns what sends a request by way of mcp-go, which knows what each
// revision of the protocol adds to it.
func (c *mcpConn) sender(r Request) (func(context.Context) error, error) {
	switch mcp.MCPMethod(r.Method) {
	case mcp.MethodResourcesList:
		return sender(r, func(ctx context.Context, q mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
			return c.client.ListResourcesByPage(ctx, q)
		})
	case mcp.MethodResourcesTemplatesList:
		return sender(r, func(ctx context.Context, q mcp.ListResourceTemplatesRequest) (*mcp.ListResourceTemplatesResult, error) {
			return c.client.ListResourceTemplatesByPage(ctx, q)
		})
	case mcp.MethodResourcesRead:
		return sender(r, func(ctx context.Context, q mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return c.client.ReadResource(ctx, q)
		})
	case mcp.MethodPromptsList:
		return sender(r, func(ctx context.Context, q mcp.ListPromptsRequest) (*mcp.ListPromptsResult, error) {
			return c.client.ListPromptsByPage(ctx, q)
		})
	case mcp.MethodPromptsGet:
		return sender(r, func(ctx context.Context, q mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return c.client.GetPrompt(ctx, q)
		})
	case mcp.MethodCompletionComplete:
		return sender(r, func(ctx context.Context, q mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return c.client.Complete(ctx, q)
		})
	case mcp.MethodResourcesSubscribe:
		return sender(r, func(ctx context.Context, q mcp.SubscribeRequest) (*struct{}, error) {
			//lint:ignore SA1019 servers of the older era have no other way
			return nil, c.client.Subscribe(ctx, q)
		})
	case mcp.MethodResourcesUnsubscribe:
		return sender(r, func(ctx context.Context, q mcp.UnsubscribeRequest) (*struct{}, error) {
			//lint:ignore SA1019 servers of the older era have no other way
			return nil, c.client.Unsubscribe(ctx, q)
		})
	case mcp.MethodSetLogLevel:
		return sender(r, func(ctx context.Context, q mcp.SetLevelRequest) (*struct{}, error) {
			//lint:ignore SA1019 servers of the older era have no other way
			return nil, c.client.SetLevel(ctx, q)
		})
	}
	return nil, fmt.Errorf("%s is not passed through", r.Method)
}

// sender reads the params of a request into mcp-go's type for it.
func sender[Q, R any](r Request, send func(context.Context, Q) (*R, error)) (func(context.Context) error, error) {
	var request Q
	if len(r.Params) > 0 {
		// The method is not read: with one, mcp-go takes the request for one
		// that was received.
		if err := json.Unmarshal(append(append([]byte(`{"params":`), r.Params...), '}'), &request); err != nil {
			return nil, fmt.Errorf("%s: params: %w", r.Method, err)
		}
	}
	return func(ctx context.Context) error {
		_, err := send(ctx, request)
		return err
	}, nil
}
