package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

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

	// log is the server's. flooding guards the rest: how many announcements of this
	// second were queued and left out, and those of the latter that are to be made up
	// for, by method and URI.
	log        *clean.Ring
	flooding   sync.Mutex
	made, left int
	late       map[string]map[string]any
}

// perSecond is how many announcements of one server are handed on in a second; each
// costs its clients a message, and the user's log a line.
const perSecond = 100

func newNotices(server string, log *clean.Ring, clean clean.Cleaner, callers *callers, fail func(error)) *notices {
	return &notices{
		server: server, log: log, clean: clean, callers: callers, fail: fail,
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

// admits reports whether one more announcement is handed on in this second. Of
// those that are not, the changes of lists and resources come when it is over, each
// once; messages for the log are left out.
func (n *notices) admits(method string, fields map[string]any) bool {
	n.flooding.Lock()
	defer n.flooding.Unlock()
	if n.made == 0 {
		time.AfterFunc(time.Second, n.nextSecond)
	}
	if n.made++; n.made <= perSecond {
		return true
	}
	uri, _ := fields["uri"].(string)
	if key := method + " " + uri; method != string(mcp.MethodNotificationMessage) && (n.late[key] != nil || len(n.late) < announcements) {
		if n.late == nil {
			n.late = map[string]map[string]any{}
		}
		n.late[key] = fields
	} else {
		n.left++
	}
	return false
}

// nextSecond begins another second of [notices.admits].
func (n *notices) nextSecond() {
	n.flooding.Lock()
	late, left, made := n.late, n.left, n.made
	n.late, n.left, n.made = nil, 0, 0
	n.flooding.Unlock()
	if made > perSecond {
		n.log.WriteLine(clean.OurPrefix, fmt.Appendf(nil, "it sent %d notifications in a second, of which %d are handed on at most: %d were left out", made, perSecond, left))
	}
	for key, fields := range late {
		method, _, _ := strings.Cut(key, " ")
		n.announce(method, fields)
	}
}

// announce queues an announcement. It drops one when the reader does not keep up.
func (n *notices) announce(method string, fields map[string]any) {
	if !n.admits(method, fields) {
		return
	}
	a := Announcement{Server: n.server, Method: method, Sessions: n.callers.sessions()}
	if len(fields) > 0 {
		params, err := json.Marshal(fields)
		if err != nil {
			return
		}
		var exact []string
		if method == mcp.MethodNotificationResourceUpdated {
			exact = []string{"uri"} // by which it is known to its subscribers
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
