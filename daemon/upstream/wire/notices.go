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

// announcements is the capacity of the queue; further announcements are dropped.
const announcements = 64

// notices handles the notifications of a server on one connection.
type notices struct {
	server string
	clean  clean.Cleaner
	// callers determines the sessions that an announcement may be for.
	callers *callers
	// fail ends the connection.
	fail func(error)

	// toolsChanged receives when the list of tools has changed.
	toolsChanged chan struct{}
	// progress passes on the progress of calls.
	progress progressReceivers
	// lists is the cache of resource and prompt lists.
	lists listCache
	// announced is the queue of announcements.
	announced chan Announcement

	// log is the server's log. flooding guards the fields after it: the announcements of
	// this second that were made and dropped, and the last dropped one of each method and
	// URI, which is sent when the second ends.
	log        *clean.Ring
	flooding   sync.Mutex
	made, left int
	late       map[string]map[string]any
}

// perSecond bounds the announcements that one server can make in a second. Each costs its
// clients a message, and the user's log a line.
const perSecond = 100

func newNotices(server string, log *clean.Ring, clean clean.Cleaner, callers *callers, fail func(error)) *notices {
	return &notices{
		server: server, log: log, clean: clean, callers: callers, fail: fail,
		toolsChanged: make(chan struct{}, 1), announced: make(chan Announcement, announcements),
	}
}

// receive is called by mcp-go's reader under its locks. It must neither block nor call
// back.
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

// signalTools signals a changed list of tools.
func (n *notices) signalTools() {
	select {
	case n.toolsChanged <- struct{}{}:
	default:
	}
}

// listChanged evicts the changed list from the cache and announces the change.
func (n *notices) listChanged(method string) {
	kind := "prompts"
	if method == mcp.MethodNotificationResourcesListChanged {
		kind = "resources"
	}
	n.lists.changed(kind)
	n.announce(method, nil)
}

// Announcement is a server notification other than progress: a log message, a change of
// its resources or prompts, an update of a resource (see [Connection.Subscribe]), or the
// completion of a URL elicitation (notifications/elicitation/complete).
type Announcement struct {
	Server, Method string
	// Params is the params object; nil if there is none.
	Params json.RawMessage
	// Sessions are the sessions with calls under way, or for an update of a resource the
	// subscribed ones.
	Sessions []any
}

// admits reports whether one more announcement may be made in this second. Of the others,
// changes of lists and resources are made when it ends, each once; log messages are
// dropped.
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

// nextSecond starts the next second of [notices.admits].
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

// announce queues an announcement. It drops it if the queue is full.
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
			exact = []string{"uri"} // subscribers know the resource by it
		}
		a.Params = n.clean.Result(method, params, exact...)
	}
	select {
	case n.announced <- a:
	default:
	}
}

// handOn passes queued announcements to listener until life ends.
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
