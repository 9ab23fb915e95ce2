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

// streams holds the open streams for updates of resources, by URI. Servers of 2026-07-28
// announce updates on them.
type streams struct {
	// mu guards open.
	mu   sync.Mutex
	open map[string]*stream
}

// stream is one of them. Pointers distinguish two streams to the same URI.
type stream struct {
	ctx    context.Context //nolint:containedctx // the stream's own lifetime
	cancel context.CancelFunc
}

// begin returns a new stream, or nil if one is open for the URI.
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

// end cancels the stream of a URI.
func (s *streams) end(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[uri]; one != nil {
		one.cancel()
		delete(s.open, uri)
	}
}

// ended removes a stream that has ended, but not a newer one for the same URI.
func (s *streams) ended(uri string, one *stream) {
	one.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[uri] == one {
		delete(s.open, uri)
	}
}

// Subscribe implements [Connection]. In 2026-07-28 it does not wait for a refusal of the
// server, which is only logged.
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

// Unsubscribe implements [Connection].
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

// announces returns the changes that a server declares to announce.
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

// listen keeps a subscriptions/listen stream open, on which servers of 2026-07-28
// announce changes. It ends with ctx, or when the server refuses.
func (c *mcpConn) listen(ctx context.Context, filter mcp.SubscriptionFilter) {
	// Booleans and strings can always be encoded.
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
		// If the server cannot be reached, this fails the connection.
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

// missed announces everything that may have changed while the stream was closed, because
// the server does not repeat it.
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
