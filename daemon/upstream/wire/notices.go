package wire

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

// announcements is how many may wait to be handed on; more are dropped.
const announcements = 64

// notices is what a server says unasked on one connection.
type notices struct {
	server string
	clean  clean.Cleaner
	// callers tell for whom an announcement may be.
	callers *callers
	// fail ends the connection.
	fail func(error)

	// toolsChanged receives when there is another list of tools.
	toolsChanged chan struct{}
	// progress hands on what calls report.
	progress progressReceivers
	// lists are those that the server lets us keep.
	lists listCache
	// announced queues what the server announces.
	announced chan Announcement
}

func newNotices(server string, clean clean.Cleaner, callers *callers, fail func(error)) *notices {
	return &notices{
		server: server, clean: clean, callers: callers, fail: fail,
		toolsChanged: make(chan struct{}, 1), announced: make(chan Announcement, announcements),
	}
}

// receive runs on mcp-go's reader, under its locks: it must neither block nor
// call back.
func (n *notices) receive(notice mcp.JSONRPCNotification) {
	defer fault.Recovered(n.fail)
	switch notice.Method {
	case mcp.MethodNotificationToolsListChanged:
		n.signalTools()
	case string(mcp.MethodNotificationProgress):
		n.progress.hand(notice.Params.AdditionalFields)
	case mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationPromptsListChanged:
		n.listChanged(notice.Method)
	case mcp.MethodNotificationResourceUpdated, string(mcp.MethodNotificationElicitationComplete), string(mcp.MethodNotificationMessage):
		n.announce(notice.Method, notice.Params.AdditionalFields)
	}
}

// signalTools says that there is another list of tools.
func (n *notices) signalTools() {
	select {
	case n.toolsChanged <- struct{}{}:
	default:
	}
}

// listChanged forgets the list that has changed, and says so.
func (n *notices) listChanged(method string) {
	kind := "prompts"
	if method == mcp.MethodNotificationResourcesListChanged {
		kind = "resources"
	}
	n.lists.changed(kind)
	n.announce(method, nil)
}

// Announcement is a notification of a server's that is no progress: a message
// for the log, that its resources or prompts have changed, that a resource has
// (see [Connection.Subscribe]), or that a user has done what a URL was for
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
func (n *notices) announce(method string, fields map[string]any) {
	a := Announcement{Server: n.server, Method: method, Sessions: n.callers.sessions()}
	if len(fields) > 0 {
		params, err := json.Marshal(fields)
		if err != nil {
			return
		}
		var exact []string
		if method == mcp.MethodNotificationResourceUpdated {
			exact = []string{"uri"} // by which it is known to whoever follows it
		}
		a.Params = n.clean.Result(method, params, exact...)
	}
	select {
	case n.announced <- a:
	default:
	}
}

// handOn passes on what is queued until life ends.
func (n *notices) handOn(life context.Context, listener func(Announcement)) {
	for {
		select {
		case a := <-n.announced:
			listener(a)
		case <-life.Done():
			return
		}
	}
}
