package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// streams are the open streams for changes of resources, by URI: how servers
// of 2026-07-28 announce them.
type streams struct {
	// mu guards open.
	mu   sync.Mutex
	open map[string]*stream
}

// stream is one of them. Its address tells it from another to the same URI.
type stream struct {
	ctx    context.Context //nolint:containedctx // the stream's own lifetime
	cancel context.CancelFunc
}

// begin returns a new stream; nil when there is one.
func (s *streams) begin(life context.Context, uri string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[uri] != nil {
		return nil
	}
	if s.open == nil {
		s.open = map[string]*stream{}
	}
	one := &stream{}
	one.ctx, one.cancel = context.WithCancel(life)
	s.open[uri] = one
	return one
}

// end ends the stream of a URI.
func (s *streams) end(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[uri]; one != nil {
		one.cancel()
		delete(s.open, uri)
	}
}

// ended forgets a stream that has ended, and leaves alone one that was begun
// for the same URI since.
func (s *streams) ended(uri string, one *stream) {
	one.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[uri] == one {
		delete(s.open, uri)
	}
}

// Subscribe implements connection. In 2026-07-28 a server's refusal is not
// waited for: it stands in the server's log.
func (c *mcpConn) Subscribe(ctx context.Context, timeout time.Duration, uri string) error {
	if c.session.era != EraModern {
		return c.askAbout(ctx, timeout, mcp.MethodResourcesSubscribe, uri)
	}
	if one := c.streams.begin(c.life, uri); one != nil {
		c.spawn(func() {
			defer c.streams.ended(uri, one)
			c.listen(one.ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
		})
	}
	return nil
}

// Unsubscribe implements connection.
func (c *mcpConn) Unsubscribe(ctx context.Context, timeout time.Duration, uri string) error {
	if c.session.era != EraModern {
		return c.askAbout(ctx, timeout, mcp.MethodResourcesUnsubscribe, uri)
	}
	c.streams.end(uri)
	return nil
}

func (c *mcpConn) askAbout(ctx context.Context, timeout time.Duration, method mcp.MCPMethod, uri string) error {
	_, err := c.ask(ctx, timeout, method, codec.Marshal(map[string]string{"uri": uri}))
	if err != nil {
		return c.requestError(string(method), timeout, err)
	}
	return nil
}

// announces returns the changes that a server says it announces.
func announces(capabilities json.RawMessage) mcp.SubscriptionFilter {
	type kind struct {
		ListChanged bool `json:"listChanged"`
	}
	var declared struct{ Tools, Prompts, Resources kind }
	if json.Unmarshal(capabilities, &declared) != nil {
		return mcp.SubscriptionFilter{}
	}
	return mcp.SubscriptionFilter{
		ToolsListChanged: declared.Tools.ListChanged, PromptsListChanged: declared.Prompts.ListChanged,
		ResourcesListChanged: declared.Resources.ListChanged,
	}
}

// listen keeps a subscriptions/listen stream open, which is how servers of
// 2026-07-28 announce changes. It ends with ctx, or when the server refuses.
func (c *mcpConn) listen(ctx context.Context, filter mcp.SubscriptionFilter) {
	// It holds booleans and strings, and can be encoded.
	params, _ := json.Marshal(mcp.SubscriptionsListenParams{Notifications: filter})
	retry := NewBackoff()
	for {
		began := time.Now()
		_, err := c.session.send(ctx, mcp.MethodSubscriptionsListen, params)
		if ctx.Err() != nil {
			return
		}
		if refused := (*answeredError)(nil); errors.As(err, &refused) {
			c.log.WriteLine(clean.OurPrefix, fmt.Appendf(nil, "it does not announce changes: %s", clean.Shown(c.redact, refused.Error())))
			return
		}
		// A server that cannot be reached any more ends the connection here.
		_ = c.explain(ctx, err)
		if time.Since(began) > StableAfter {
			retry.Reset()
		}
		timer := time.NewTimer(NextRetry(retry))
		select {
		case <-timer.C:
			c.missed(filter)
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// missed announces what may have changed while there was no listener: the server
// does not announce it again.
func (c *mcpConn) missed(filter mcp.SubscriptionFilter) {
	if filter.ToolsListChanged {
		c.notices.signalTools()
	}
	if filter.PromptsListChanged {
		c.notices.listChanged(mcp.MethodNotificationPromptsListChanged)
	}
	if filter.ResourcesListChanged {
		c.notices.listChanged(mcp.MethodNotificationResourcesListChanged)
	}
	for _, uri := range filter.ResourceSubscriptions {
		c.notices.announce(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
	}
}
