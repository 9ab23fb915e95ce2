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

	"github.com/winnow-mcp/winnow/daemon/codec"
)

// resourceSubscriptions are who wants to hear of changes of one server's
// resources. They outlive its connections.
type resourceSubscriptions struct {
	// mu guards sessions, the subscribers of each URI.
	mu       sync.Mutex
	sessions map[string][]any
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

// uris returns what a session is subscribed to, in order; nil stands for all
// sessions.
func (r *resourceSubscriptions) uris(session any) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for uri, sessions := range r.sessions {
		if session == nil || slices.Contains(sessions, session) {
			all = append(all, uri)
		}
	}
	slices.Sort(all)
	return all
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
// outlives the server's connections, until [Manager.Unsubscribe] or
// [Manager.EndSession]: when the server is back its subscribers are told of an
// update, since what changed meanwhile is not known. Errors are those of
// [Manager.Call].
func (m *Manager) Subscribe(ctx context.Context, server, uri string, session any) error {
	s, err := m.lookup(server)
	if err != nil {
		return err
	}
	// First, so that no update is missed. Asking twice changes nothing.
	s.subscriptions.add(uri, session)
	_, err = deliver(ctx, m, server, string(mcp.MethodResourcesSubscribe), func(v *view) (struct{}, error) {
		return struct{}{}, v.conn.subscribe(ctx, v.timeout, uri)
	})
	if err != nil {
		s.subscriptions.remove(uri, session)
	}
	return err
}

// Unsubscribe ends a subscription. A server that does not run is not started
// for it.
func (m *Manager) Unsubscribe(ctx context.Context, server, uri string, session any) error {
	s, err := m.lookup(server)
	if err != nil {
		return err
	}
	v := s.seen.Load()
	if !s.subscriptions.remove(uri, session) || v.conn == nil {
		return nil
	}
	if err := v.conn.unsubscribe(ctx, v.timeout, uri); err != nil {
		return s.callError(v, string(mcp.MethodResourcesUnsubscribe), err)
	}
	return nil
}

// EndSession ends all subscriptions of a session.
func (m *Manager) EndSession(ctx context.Context, session any) {
	for _, one := range m.Snapshot().Servers {
		s, err := m.lookup(one.Name)
		if err != nil {
			continue
		}
		for _, uri := range s.subscriptions.uris(session) {
			if err := m.Unsubscribe(ctx, one.Name, uri, session); err != nil {
				m.opts.Logger.Debug("a subscription was not ended", "server", one.Name, "error", err)
			}
		}
	}
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

// resubscribe repeats the subscriptions on a connection that was just made, and
// tells the subscribers of the updates that they may have missed.
func (s *server) resubscribe(ctx context.Context, conn connection, timeout time.Duration) {
	for _, uri := range s.subscriptions.uris(nil) {
		if err := conn.subscribe(ctx, timeout, uri); err != nil {
			s.log.writeLine(ourPrefix, []byte(shown(s.redact, "a subscription could not be renewed: "+err.Error())))
			continue
		}
		s.shared.announced(Announcement{
			Server: s.name, Method: mcp.MethodNotificationResourceUpdated,
			Params: codec.Marshal(map[string]string{"uri": uri}),
		})
	}
}
