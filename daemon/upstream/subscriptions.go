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

// resourceSubscriptions are who wants to hear of changes of one server's
// resources. They outlive its connections.
type resourceSubscriptions struct {
	// mu guards what follows.
	mu sync.Mutex
	// sessions are the subscribers of each URI.
	sessions map[string][]any
	// turns are those of the URIs about which the server is being asked, or
	// somebody waits to ask it.
	turns map[string]*turn
}

// turn is held by whoever compares what one URI's subscribers want with what
// the server was asked for, until the server has answered: else the end of the
// last subscription could reach the server after the first of a new one.
type turn struct {
	held    chan struct{} // has room for the one who holds it
	waiting int           // who holds or waits, guarded by resourceSubscriptions.mu
}

// take waits for the turn of a URI, which is held until release is called.
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

// add notes a subscriber.
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

// remove forgets a subscriber; last reports that the URI has none any more.
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

// uris returns what anybody is subscribed to, in order.
func (r *resourceSubscriptions) uris() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.sessions))
}

// subscribers returns who is told of an update: a server may name a part of
// what was subscribed to.
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

// Subscribe asks a server to say when a resource has changed, for a session. It
// does so by an [Announcement] with the method notifications/resources/updated,
// the URI in its params, and the sessions that have subscribed. A subscription
// outlives the server's connections, until [Manager.Unsubscribe]: when the
// server is back its subscribers are told of an update, since what changed
// meanwhile is not known. Errors are those of [Manager.Call].
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
	// First, so that no update is missed. Asking twice changes nothing.
	s.subscriptions.add(uri, session)
	_, err = deliver(ctx, m, server, string(mcp.MethodResourcesSubscribe), nil, func(v *view) (struct{}, error) {
		return struct{}{}, v.conn.Subscribe(ctx, v.timeout, uri)
	})
	if err != nil {
		s.subscriptions.remove(uri, session)
	}
	return err
}

// Unsubscribe ends a subscription: from now on the session is told of nothing.
// That the server is told so has an error of its own. One that does not run is
// not started for it.
func (m *Manager) Unsubscribe(ctx context.Context, server, uri string, session any) error {
	s, err := m.lookup(server)
	if err != nil {
		return err
	}
	if !s.subscriptions.remove(uri, session) {
		return nil
	}
	defer s.use()() // and it may fall asleep from then on
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

// announced hands on what a server announces; an update of a resource goes to
// those who have subscribed to it.
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

// renew repeats one subscription, unless it has ended meanwhile.
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
