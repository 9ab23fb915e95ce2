package upstream

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/codec"
)

// subscribe implements connection.
func (c *mcpConn) subscribe(ctx context.Context, timeout time.Duration, uri string) error {
	_, err := c.request(ctx, timeout, Request{
		Method: string(mcp.MethodResourcesSubscribe), Params: codec.Marshal(map[string]string{"uri": uri}),
	})
	return err
}

// unsubscribe implements connection.
func (c *mcpConn) unsubscribe(ctx context.Context, timeout time.Duration, uri string) error {
	_, err := c.request(ctx, timeout, Request{
		Method: string(mcp.MethodResourcesUnsubscribe), Params: codec.Marshal(map[string]string{"uri": uri}),
	})
	return err
}

// listen keeps a subscriptions/listen stream open, which is how servers of
// 2026-07-28 announce changes. It ends with the connection, or when the server
// refuses.
func (c *mcpConn) listen() {
	retry := newBackoff()
	for {
		began := time.Now()
		var answer capture
		err := c.client.Listen(withCapture(c.life, &answer), mcp.SubscriptionFilter{ToolsListChanged: true})
		if answer.err != nil || c.life.Err() != nil {
			return
		}
		// A server that cannot be reached any more ends the connection here.
		_ = c.explain(c.life, err)
		if time.Since(began) > stableAfter {
			retry.Reset()
		}
		timer := time.NewTimer(nextRetry(retry))
		select {
		case <-timer.C:
			// What changed while nobody listened is not announced again.
			c.signalChange()
		case <-c.life.Done():
			timer.Stop()
			return
		}
	}
}
