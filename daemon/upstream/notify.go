package upstream

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
)

// notified runs on mcp-go's reader, under its locks: it must neither block nor
// call back.
func (c *mcpConn) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged:
		c.signalChange()
	case string(mcp.MethodNotificationProgress):
		c.progressed(n.Params.AdditionalFields)
	case mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationPromptsListChanged,
		mcp.MethodNotificationResourceUpdated, string(mcp.MethodNotificationElicitationComplete), string(mcp.MethodNotificationMessage):
		c.announce(n)
	}
}

// Announcement is a notification of a server's that is no progress: a message
// for the log, that its resources or prompts have changed, that a resource has
// (see [Manager.Subscribe]), or that a user has done what a URL was for
// (notifications/elicitation/complete).
type Announcement struct {
	Server, Method string
	// Params is MCP's JSON object for the method; nil when there is none.
	Params json.RawMessage
	// Sessions are the callers' that had calls under way; of an update of a
	// resource those who have subscribed to it.
	Sessions []any
}

// announce queues an announcement. It drops one when nobody keeps up.
func (c *mcpConn) announce(n mcp.JSONRPCNotification) {
	a := Announcement{Server: c.server, Method: n.Method, Sessions: c.callers.sessions()}
	if len(n.Params.AdditionalFields) > 0 {
		params, err := json.Marshal(n.Params.AdditionalFields)
		if err != nil {
			return
		}
		a.Params = c.unhideResult(n.Method, params)
	}
	select {
	case c.announced <- a:
	default:
	}
}

// announceTo hands on what is queued until the connection ends.
func (c *mcpConn) announceTo(listener func(Announcement)) {
	for {
		select {
		case a := <-c.announced:
			listener(a)
		case <-c.life.Done():
			return
		}
	}
}

func (c *mcpConn) signalChange() {
	select {
	case c.change <- struct{}{}:
	default:
	}
}

// progressed hands a progress notification to the call it belongs to.
func (c *mcpConn) progressed(fields map[string]any) {
	token, _ := fields["progressToken"].(string)
	var p Progress
	p.Progress, _ = fields["progress"].(float64)
	p.Total, _ = fields["total"].(float64)
	message, _ := fields["message"].(string)
	p.Message, _ = hiddentext.Text(message)
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.watchers[token] <- p:
	default:
		// The receiver is slow or gone: a later step says more anyway.
	}
}

// watch returns a token, and the channel on which the progress that carries it
// arrives until stop is called.
func (c *mcpConn) watch() (token string, steps <-chan Progress, stop func()) {
	const buffered = 16
	token = fmt.Sprintf("winnow-%d", c.tokens.Add(1))
	ch := make(chan Progress, buffered)
	c.mu.Lock()
	c.watchers[token] = ch
	c.mu.Unlock()
	return token, ch, func() {
		c.mu.Lock()
		delete(c.watchers, token)
		c.mu.Unlock()
	}
}
