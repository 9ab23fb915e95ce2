package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// maxSessions bounds the sessions of one server, because crashed clients leave theirs
// behind. A new session beyond it ends the least recently used one, preferably one
// without open requests or streams.
const maxSessions = 256

// maxSubscriptions bounds the resource subscriptions of one session, and of one
// subscriptions/listen request.
const maxSubscriptions = 256

// endTime bounds the time to end all subscriptions of a session.
const endTime = 5 * time.Second

var errSubscriptions = fmt.Errorf("this session has %d subscriptions; end one before another begins", maxSubscriptions)

// errSession is returned for an unknown session id.
var errSession = errors.New("unknown session")

// sessions holds the sessions by id. mcp-go accesses them through [ids].
type sessions struct {
	// mu guards what follows.
	mu   sync.Mutex
	byID map[string]*slot
	// shared holds the shared sessions, by principal and class.
	shared map[sharer]*slot
	tick   int64 // incremented with each use
	over   bool
	// closing is closed when over is set.
	closing chan struct{}

	// ending counts sessions and subscriptions that are being ended. close waits for
	// them.
	ending sync.WaitGroup
}

// sharer identifies the clients that share a session.
type sharer struct {
	owner principal.Principal
	class string
}

// maxShared bounds the shared sessions. Users who do not return leave one behind.
const maxShared = 4096

// slot is the entry of one session.
type slot struct {
	// owner is the principal of the session. To others it does not exist.
	owner       principal.Principal
	session     Session // nil while it is being opened
	client      Client
	backchannel *backchannel
	used        int64
	open        int // open requests and streams
	// subscriptions maps a resource's URI to the function that ends the subscription.
	subscriptions map[string]func(context.Context)
}

// end ends the session of a slot and its subscriptions, the latter in parallel.
func (s *slot) end() {
	endAll(maps.Values(s.subscriptions))
	if s.session != nil {
		s.session.Close()
	}
}

// endAll ends subscriptions in parallel.
func endAll(subscriptions iter.Seq[func(context.Context)]) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	var telling sync.WaitGroup
	for end := range subscriptions {
		telling.Go(func() { end(ctx) })
	}
	telling.Wait()
}

// endWith ends subscriptions of a client without a session when ctx ends or close is
// called. close waits for that.
func (s *sessions) endWith(ctx context.Context, subscriptions []func(context.Context)) {
	s.mu.Lock()
	over := s.over
	if !over {
		s.ending.Go(func() {
			select {
			case <-ctx.Done():
			case <-s.closing:
			}
			endAll(slices.Values(subscriptions))
		})
	}
	s.mu.Unlock()
	if over { // close no longer waits
		endAll(slices.Values(subscriptions))
	}
}

// staler reports whether a session is evicted before another.
func (s *slot) staler(other *slot) bool {
	if (s.open > 0) != (other.open > 0) {
		return s.open == 0
	}
	return s.used < other.used
}

func newSessions() *sessions {
	return &sessions{byID: map[string]*slot{}, shared: map[sharer]*slot{}, closing: make(chan struct{})}
}

// generate returns a random id for a new session.
func (s *sessions) generate(owner principal.Principal) string {
	id := rand.Text()
	s.mu.Lock()
	var left *slot
	if len(s.byID) >= maxSessions {
		left = s.takeOldest()
	}
	if !s.over {
		s.tick++
		s.byID[id] = &slot{owner: owner, backchannel: newBackchannel(), used: s.tick}
	}
	if left != nil {
		s.ending.Go(left.end) // in the background, so that the new client does not wait
	}
	s.mu.Unlock()
	return id
}

// of returns the slot of an owner's session, or nil. Callers must hold mu.
func (s *sessions) of(owner principal.Principal, id string) *slot {
	if place := s.byID[id]; place != nil && place.owner == owner {
		return place
	}
	return nil
}

// enter counts an open request of a session until leave is called.
func (s *sessions) enter(owner principal.Principal, id string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.of(owner, id)
	if place == nil {
		return func() {}
	}
	place.open++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		place.open--
		s.tick++
		place.used = s.tick
	}
}

// ids gives mcp-go access to an owner's sessions. Those of others are unknown. It
// implements server.SessionIdManager.
type ids struct {
	sessions *sessions
	owner    principal.Principal
	// sweeping: mcp-go ends idle sessions, outside a request.
	sweeping bool
}

// ResolveSessionIdManager implements mcp-go's SessionIdManagerResolver.
func (s *sessions) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil {
		return ids{sessions: s, sweeping: true}
	}
	return ids{sessions: s, owner: who(r.Context())}
}

// Generate returns the id of a new session.
func (i ids) Generate() string { return i.sessions.generate(i.owner) }

// Validate returns an error for an id that is not one of the owner's.
func (i ids) Validate(id string) (isTerminated bool, err error) {
	if !i.sessions.use(i.owner, id) {
		return false, errSession
	}
	return false, nil
}

// Terminate ends a session at the request of its client.
func (i ids) Terminate(id string) (isNotAllowed bool, err error) {
	if i.sweeping || i.sessions.use(i.owner, id) {
		i.sessions.terminate(id)
	}
	return false, nil
}

// takeOldest removes and returns the stalest session. Callers must hold mu.
func (s *sessions) takeOldest() *slot {
	oldest := ""
	for id, place := range s.byID {
		if oldest == "" || place.staler(s.byID[oldest]) {
			oldest = id
		}
	}
	left := s.byID[oldest]
	delete(s.byID, oldest)
	return left
}

// use marks a session as used, and reports whether the owner has it.
func (s *sessions) use(owner principal.Principal, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.of(owner, id)
	if place == nil {
		return false
	}
	s.tick++
	place.used = s.tick
	return true
}

// terminate ends a session.
func (s *sessions) terminate(id string) {
	s.mu.Lock()
	place := s.byID[id]
	delete(s.byID, id)
	s.mu.Unlock()
	if place != nil {
		place.end()
	}
}

// add stores the session of a generated id. It returns false if the id is unknown, or the
// server closes.
func (s *sessions) add(id string, client Client, session Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	place, ok := s.byID[id]
	if !ok || place.session != nil || s.over {
		return false
	}
	place.session, place.client = session, client
	return true
}

// get returns a session of an owner, or nil.
func (s *sessions) get(owner principal.Principal, id string) Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.of(owner, id); place != nil {
		return place.session
	}
	return nil
}

// person returns the client of a session.
func (s *sessions) person(id string) Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.byID[id]; place != nil {
		return place.client.Person
	}
	return Person{}
}

// sharedBy returns a shared session. The first call opens it with open. It returns nil
// once the server closes.
func (s *sessions) sharedBy(by sharer, open func() (Client, Session)) Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil
	}
	place := s.shared[by]
	if place == nil {
		if len(s.shared) >= maxShared {
			s.leaveShared()
		}
		client, session := open()
		place = &slot{owner: by.owner, client: client, session: session}
		s.shared[by] = place
	}
	s.tick++
	place.used = s.tick
	return place.session
}

// leaveShared evicts the least recently used shared session. Requests that use it
// continue. Callers must hold mu.
func (s *sessions) leaveShared() {
	var oldest sharer
	for by, place := range s.shared {
		if first := s.shared[oldest]; first == nil || place.used < first.used {
			oldest = by
		}
	}
	s.ending.Go(s.shared[oldest].end)
	delete(s.shared, oldest)
}

// notifier returns the function that notifies the client of a session.
func (s *sessions) notifier(id string) func(method string, params map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.byID[id]; place != nil && place.session != nil {
		return place.client.Notify
	}
	return func(string, map[string]any) {}
}

// admits returns an error if a session cannot subscribe to a URI.
func (s *sessions) admits(id, uri string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id].admits(uri)
}

// admits is sessions.admits for a slot. Callers must hold mu.
func (s *slot) admits(uri string) error {
	switch {
	case s == nil:
		return errEnded
	case s.subscriptions[uri] == nil && len(s.subscriptions) >= maxSubscriptions:
		return errSubscriptions
	}
	return nil
}

// subscribed stores the function that ends a subscription. noted is false if the session
// is gone, has too many subscriptions, or has one to the URI.
func (s *sessions) subscribed(id, uri string, end func(context.Context)) (noted bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.byID[id]
	if err := place.admits(uri); err != nil || place.subscriptions[uri] != nil {
		return false, err
	}
	if place.subscriptions == nil {
		place.subscriptions = map[string]func(context.Context){}
	}
	place.subscriptions[uri] = end
	return true, nil
}

// unsubscribe removes a subscription and returns its end function, or nil.
func (s *sessions) unsubscribe(id, uri string) (end func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.byID[id]
	if place == nil {
		return nil
	}
	end = place.subscriptions[uri]
	delete(place.subscriptions, uri)
	return end
}

// backchannel returns the backchannel of an owner's session, or nil.
func (s *sessions) backchannel(owner principal.Principal, id string) *backchannel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.of(owner, id); place != nil {
		return place.backchannel
	}
	return nil
}

// all returns copies of the slots of open sessions.
func (s *sessions) all() []slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := make([]slot, 0, len(s.byID))
	for _, place := range s.byID {
		if place.session != nil {
			open = append(open, *place)
		}
	}
	for _, place := range s.shared {
		open = append(open, *place)
	}
	return open
}

// close ends all sessions in parallel, and refuses new ones.
func (s *sessions) close() {
	s.mu.Lock()
	s.over = true
	close(s.closing)
	left := slices.AppendSeq(slices.Collect(maps.Values(s.byID)), maps.Values(s.shared))
	clear(s.byID)
	clear(s.shared)
	s.mu.Unlock()
	for _, place := range left {
		s.ending.Go(place.end)
	}
	s.ending.Wait()
}

// subscribe subscribes a client with a session. The session's end also ends the
// subscription.
func (s *sessions) subscribe(ctx context.Context, uri string) error {
	client := server.ClientSessionFromContext(ctx)
	if client == nil {
		return errEnded
	}
	id := client.SessionID()
	session := s.get(who(ctx), id)
	if session == nil {
		return errEnded
	}
	notify := s.notifier(id)
	if err := s.admits(id, uri); err != nil {
		return err
	}
	end, err := session.Subscribe(ctx, uri, func(uri string) {
		notify(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
	})
	if err != nil {
		return err
	}
	noted, err := s.subscribed(id, uri, end)
	if !noted {
		ended(ctx, end)
	}
	return err
}

// ended ends a subscription, even if the client is gone.
func ended(ctx context.Context, end func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	end(ctx)
}
