package upstream

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// resourceSubscriptions holds the subscribers to one server's resources. They outlive its
// connections.
type resourceSubscriptions struct {
	// mu guards what follows.
	mu sync.Mutex
	// sessions maps a URI to its subscribers.
	sessions map[string][]any
	// turns holds the turn of each URI for which a subscribe or unsubscribe request is
	// under way or waiting.
	turns map[string]*turn
}

// turn serializes the requests to the server about one URI. It is held until the server
// has answered. Without it, the unsubscribe of the last subscriber could reach the server
// after the subscribe of a new one.
type turn struct {
	held    chan struct{} // capacity 1; full while the turn is held
	waiting int           // number of holders and waiters, guarded by resourceSubscriptions.mu
}

// take waits for the turn of a URI. The caller must call release.
func (r *resourceSubscriptions) take(ctx context.Context, uri string) (release func(), err error) {
	r.mu.Lock()
	one := r.turns[uri]
	if one == nil {
		one = &turn{held: make(chan struct{}, 1)}
		if r.turns == nil {
			r.turns = map[string]*turn{}
		}
		r.turns[uri] = one
	}
	one.waiting++
	r.mu.Unlock()
	leave := func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if one.waiting--; one.waiting == 0 {
			delete(r.turns, uri)
		}
	}
	select {
	case one.held <- struct{}{}:
		return func() { <-one.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}

// wanted reports whether a URI has a subscriber.
func (r *resourceSubscriptions) wanted(uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.sessions[uri]) > 0
}

// add adds a subscriber. Adding it twice has no effect.
func (r *resourceSubscriptions) add(uri string, session any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions == nil {
		r.sessions = map[string][]any{}
	}
	if !slices.Contains(r.sessions[uri], session) {
		r.sessions[uri] = append(r.sessions[uri], session)
	}
}

// remove removes a subscriber. last reports whether it was the URI's last one.
func (r *resourceSubscriptions) remove(uri string, session any) (last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.sessions[uri]
	after := slices.DeleteFunc(slices.Clone(before), func(one any) bool { return one == session })
	if len(after) > 0 {
		r.sessions[uri] = after
		return false
	}
	delete(r.sessions, uri)
	return len(before) > 0
}

// uris returns the URIs that have subscribers, sorted.
func (r *resourceSubscriptions) uris() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.sessions))
}

// subscribers returns the subscribers to an updated URI and to each prefix of it: a
// server may report an update of a part of a subscribed resource.
func (r *resourceSubscriptions) subscribers(updated string) []any {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []any
	for _, uri := range slices.Sorted(maps.Keys(r.sessions)) {
		if !strings.HasPrefix(updated, uri) {
			continue
		}
		for _, session := range r.sessions[uri] {
			if !slices.Contains(all, session) {
				all = append(all, session)
			}
		}
	}
	return all
}

// Subscribe subscribes a session to updates of a resource. Each update is reported as an
// [Announcement] with the method notifications/resources/updated, the URI in its params,
// and the subscribed sessions. A subscription outlives the server's connections, until
// [Manager.Unsubscribe]. After a reconnect the subscribers receive an update, because
// changes in between were not observed. Errors are those of [Manager.Call].
func (m *Manager) Subscribe(ctx context.Context, server, uri string, session any) error {
	s, err := m.lookup(server)
	if err != nil {
		return err
	}
	release, err := s.subscriptions.take(ctx, uri)
	if err != nil {
		return err
	}
	defer release()
	// Added first, so that no update is missed. A repeated request has no effect.
	s.subscriptions.add(uri, session)
	_, err = deliver(ctx, m, server, string(mcp.MethodResourcesSubscribe), nil, func(v *view) (struct{}, error) {
		return struct{}{}, v.conn.Subscribe(ctx, v.timeout, uri)
	})
	if err != nil {
		s.subscriptions.remove(uri, session)
	}
	return err
}

// Unsubscribe ends a subscription. The session receives no more updates, even if the
// server's unsubscribe request fails, which is returned as an error. A server that does
// not run is not started.
func (m *Manager) Unsubscribe(ctx context.Context, server, uri string, session any) error {
	s, err := m.lookup(server)
	if err != nil {
		return err
	}
	if !s.subscriptions.remove(uri, session) {
		return nil
	}
	defer s.use()() // restarts the server's idle time
	release, err := s.subscriptions.take(ctx, uri)
	if err != nil {
		return err
	}
	defer release()
	v := s.seen.Load()
	if v.conn == nil || s.subscriptions.wanted(uri) {
		return nil
	}
	if err := v.conn.Unsubscribe(ctx, v.timeout, uri); err != nil {
		return s.callError(v, string(mcp.MethodResourcesUnsubscribe), err)
	}
	return nil
}

// announced passes on an announcement of a server. An update of a resource goes to its
// subscribers only.
func (m *Manager) announced(a Announcement) {
	if m.opts.Hooks.Announced == nil {
		return
	}
	if a.Method == mcp.MethodNotificationResourceUpdated {
		var params struct {
			URI string `json:"uri"`
		}
		s := m.find(a.Server)
		if json.Unmarshal(a.Params, &params) != nil || s == nil {
			return
		}
		if a.Sessions = s.subscriptions.subscribers(params.URI); a.Sessions == nil {
			return
		}
	}
	m.opts.Hooks.Announced(a)
}

// renew repeats one subscription on a new connection. asked is false if it has ended.
func (r *resourceSubscriptions) renew(ctx context.Context, conn wire.Connection, timeout time.Duration, uri string) (asked bool, err error) {
	release, err := r.take(ctx, uri)
	if err != nil {
		return false, err
	}
	defer release()
	if !r.wanted(uri) {
		return false, nil
	}
	return true, conn.Subscribe(ctx, timeout, uri)
}
