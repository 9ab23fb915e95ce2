package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Clients without a session receive notifications through subscriptions/listen, a request
// that the client ends. mcp-go reads the filter ([listener.SetSubscriptionFilter]) and
// waits; over HTTP it also writes the notifications.

// listeners holds the open subscriptions over streams and HTTP with their owners. mcp-go
// would notify all principals.
type listeners struct {
	// mu guards open.
	mu   sync.Mutex
	open map[subscriber]principal.Principal
}

// subscriber receives the notifications of one subscription.
type subscriber interface {
	server.ClientSession
	server.SessionWithSubscriptionFilter
}

// hook registers HTTP subscriptions for the duration of their requests.
func (l *listeners) hook(hooks *server.Hooks) {
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, _ *mcp.SubscriptionsListenRequest) {
		one, ok := server.ClientSessionFromContext(ctx).(subscriber)
		if _, streams := one.(*listener); !ok || streams {
			return
		}
		l.add(one, who(ctx))
		context.AfterFunc(ctx, func() { l.remove(one) })
	})
}

// listener is one subscription of a client over streams. It implements
// server.SessionWithSubscriptionFilter.
type listener struct {
	pipe  *pipe
	notes chan mcp.JSONRPCNotification

	// mu guards filter, the wanted kinds of notifications.
	mu     sync.Mutex
	filter mcp.SubscriptionFilter
}

// listen responds to subscriptions/listen of a client over streams. It ends with the
// request, and when the client closes its side.
func (p *pipe) listen(ctx context.Context, line []byte, id json.RawMessage) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-p.silent:
			end()
		case <-ctx.Done():
		}
	}()
	l := &listener{pipe: p, notes: make(chan mcp.JSONRPCNotification, queued)}
	p.server.listeners.add(l, principal.Local)
	var telling sync.WaitGroup
	over := make(chan struct{})
	telling.Go(func() { l.tell(id, over) })
	answer := p.respond(p.server.face.WithContext(ctx, l), line)
	p.server.listeners.remove(l)
	close(over)
	telling.Wait()
	p.deliver(answer)
}

// tell sends the queued notifications with the id of the request, until over is closed
// and the queue is empty.
func (l *listener) tell(id json.RawMessage, over <-chan struct{}) {
	for {
		var note mcp.JSONRPCNotification
		select {
		case note = <-l.notes:
		case <-over:
			if len(l.notes) == 0 {
				return
			}
			note = <-l.notes
		}
		meta := maps.Clone(note.Params.Meta)
		if meta == nil {
			meta = map[string]any{}
		}
		meta[mcp.MetaKeySubscriptionID] = id
		note.Params.Meta = meta
		if l.pipe.send(note) != nil {
			return // the client is gone
		}
	}
}

func (l *listeners) add(one subscriber, owner principal.Principal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[subscriber]principal.Principal{}
	}
	l.open[one] = owner
}

func (l *listeners) remove(one subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, one)
}

// notify queues a notification for the clients of an owner that asked for its kind. It
// drops it for a client with a full queue.
func (l *listeners) notify(owner principal.Principal, method string, params map[string]any) {
	note := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: method, Params: mcp.NotificationParams{AdditionalFields: params},
	}}
	l.mu.Lock()
	defer l.mu.Unlock()
	for one, whose := range l.open {
		if whose == owner && wants(one, method) {
			select {
			case one.NotificationChannel() <- note:
			default:
			}
		}
	}
}

// wants reports whether the client asked for a kind of notification.
func wants(one subscriber, method string) bool {
	filter, _ := one.SubscriptionFilter()
	switch method {
	case mcp.MethodNotificationToolsListChanged:
		return filter.ToolsListChanged
	case mcp.MethodNotificationPromptsListChanged:
		return filter.PromptsListChanged
	case mcp.MethodNotificationResourcesListChanged:
		return filter.ResourcesListChanged
	}
	return false
}

// SessionID implements server.ClientSession. A cancellation finds the request by the
// client's id.
func (l *listener) SessionID() string { return l.pipe.id }

// Initialize implements server.ClientSession.
func (*listener) Initialize() {}

// Initialized implements server.ClientSession.
func (*listener) Initialized() bool { return true }

// NotificationChannel implements server.ClientSession.
func (l *listener) NotificationChannel() chan<- mcp.JSONRPCNotification { return l.notes }

// SetSubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (l *listener) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.filter = filter
}

// SubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (l *listener) SubscriptionFilter() (filter mcp.SubscriptionFilter, active bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.filter, !l.filter.IsEmpty()
}
