package upstream

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// notified runs on mcp-go's reader, under its locks: it must neither block nor
// call back.
func (c *mcpConn) notified(n mcp.JSONRPCNotification) {
	defer recovered(c.fail)
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged:
		c.signalChange()
	case string(mcp.MethodNotificationProgress):
		c.progress.hand(n.Params.AdditionalFields)
	case mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationPromptsListChanged:
		c.listChanged(n.Method)
	case mcp.MethodNotificationResourceUpdated, string(mcp.MethodNotificationElicitationComplete), string(mcp.MethodNotificationMessage):
		c.announce(n.Method, n.Params.AdditionalFields)
	}
}

// listChanged forgets the list that has changed, and says so.
func (c *mcpConn) listChanged(method string) {
	kind := "prompts"
	if method == mcp.MethodNotificationResourcesListChanged {
		kind = "resources"
	}
	c.lists.changed(kind)
	c.announce(method, nil)
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
func (c *mcpConn) announce(method string, fields map[string]any) {
	a := Announcement{Server: c.server, Method: method, Sessions: c.callers.sessions()}
	if len(fields) > 0 {
		params, err := json.Marshal(fields)
		if err != nil {
			return
		}
		a.Params = c.unhideResult(method, params)
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
