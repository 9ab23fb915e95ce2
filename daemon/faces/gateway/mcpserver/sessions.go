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

// maxSessions bounds the sessions of one server. Clients that die leave theirs
// behind, so one that comes when all are taken ends the one used longest ago, of
// those that have no request or stream open if there are any.
const maxSessions = 256

// maxSubscriptions bounds the resources that one session is subscribed to, or
// that one request listens for.
const maxSubscriptions = 256

// endTime bounds how long the servers may take to end the subscriptions of a
// session, all of them together.
const endTime = 5 * time.Second

var errSubscriptions = fmt.Errorf("this session has %d subscriptions; end one before another begins", maxSubscriptions)

// errSession is returned for a session id that this server did not give out.
var errSession = errors.New("unknown session")

// sessions holds the sessions by the id that their client was given. To mcp-go
// they are [ids].
type sessions struct {
	// mu guards what follows.
	mu   sync.Mutex
	byID map[string]*slot
	// shared are the places of the sessions of clients that have none of their
	// own, one for each principal of a class since the first of them came.
	shared map[sharer]*slot
	tick   int64 // rises with each use
	over   bool
	// closing is closed when over is set.
	closing chan struct{}

	// ending counts the sessions, and the clients without one, whose end nobody
	// waits for before close.
	ending sync.WaitGroup
}

// sharer is who shares a session.
type sharer struct {
	owner principal.Principal
	class string
}

// maxShared bounds the sessions that are shared: of users who come no more, one is
// left behind each.
const maxShared = 4096

// slot is the place of one session.
type slot struct {
	// owner is whose session it is: to anybody else there is none.
	owner       principal.Principal
	session     Session // nil while it is being opened
	client      Client
	backchannel *backchannel
	used        int64
	open        int // requests and streams that are being served
	// subscriptions hold what ends them, by the URI of the resource.
	subscriptions map[string]func(context.Context)
}

// end ends the session of a place and what it has subscribed to: the servers
// are told side by side.
func (s *slot) end() {
	endAll(maps.Values(s.subscriptions))
	if s.session != nil {
		s.session.Close()
	}
}

// endAll ends subscriptions side by side.
func endAll(subscriptions iter.Seq[func(context.Context)]) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	var telling sync.WaitGroup
	for end := range subscriptions {
		telling.Go(func() { end(ctx) })
	}
	telling.Wait()
}

// endWith ends subscriptions of a client without a session when ctx ends, or
// when all sessions do: close waits for that.
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
	if over { // close waits no more
		endAll(slices.Values(subscriptions))
	}
}

// staler reports whether a session is to go rather than another.
func (s *slot) staler(other *slot) bool {
	if (s.open > 0) != (other.open > 0) {
		return s.open == 0
	}
	return s.used < other.used
}

func newSessions() *sessions {
	return &sessions{byID: map[string]*slot{}, shared: map[sharer]*slot{}, closing: make(chan struct{})}
}

// generate returns the id of a new session. It cannot be guessed.
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
		s.ending.Go(left.end) // the new client does not wait for it
	}
	s.mu.Unlock()
	return id
}

// of returns the place of a session, nil where it is somebody else's. The caller
// holds mu.
func (s *sessions) of(owner principal.Principal, id string) *slot {
	if place := s.byID[id]; place != nil && place.owner == owner {
		return place
	}
	return nil
}

// enter notes that a request of a session is being served until leave is called.
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

// ids are the sessions as mcp-go asks for them on behalf of an owner: those of
// others are unknown. It implements the library's SessionIdManager.
type ids struct {
	sessions *sessions
	owner    principal.Principal
	// sweeping: no request asks, but the library, which ends what is idle.
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

// Validate reports an id that the owner was not given as unknown.
func (i ids) Validate(id string) (isTerminated bool, err error) {
	if !i.sessions.use(i.owner, id) {
		return false, errSession
	}
	return false, nil
}

// Terminate ends a session at its client's wish.
func (i ids) Terminate(id string) (isNotAllowed bool, err error) {
	if i.sweeping || i.sessions.use(i.owner, id) {
		i.sessions.terminate(id)
	}
	return false, nil
}

// takeOldest takes out the session that is the stalest. The caller holds mu.
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

// use notes a use of a session, and reports whether its owner has it.
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

// add makes a session known under an id that was given out; false when it was
// not, or the server closes.
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

// get returns a session of an owner's, or nil.
func (s *sessions) get(owner principal.Principal, id string) Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.of(owner, id); place != nil {
		return place.session
	}
	return nil
}

// person returns who the client of a session is.
func (s *sessions) person(id string) Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.byID[id]; place != nil {
		return place.client.Person
	}
	return Person{}
}

// sharedBy returns the session of those clients of an owner's that have none of
// their own, which open opens at the first call; nil once the server closes.
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

// leaveShared ends the shared session that was used longest ago. A request that
// still has it goes on. The caller holds mu.
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

// notifier returns what notifies the client of an open session.
func (s *sessions) notifier(id string) func(method string, params map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.byID[id]; place != nil && place.session != nil {
		return place.client.Notify
	}
	return func(string, map[string]any) {}
}

// admits says why a session cannot subscribe to a URI, if so.
func (s *sessions) admits(id, uri string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id].admits(uri)
}

// admits is that of a place. The caller holds mu.
func (s *slot) admits(uri string) error {
	switch {
	case s == nil:
		return errEnded
	case s.subscriptions[uri] == nil && len(s.subscriptions) >= maxSubscriptions:
		return errSubscriptions
	}
	return nil
}

// subscribed notes what ends a subscription; not where the session cannot have
// it any more, or has one to the same URI.
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

// unsubscribe forgets a subscription and returns what ends it; nil without one.
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

// backchannel returns how the client of a session is reached over HTTP, or nil.
func (s *sessions) backchannel(owner principal.Principal, id string) *backchannel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.of(owner, id); place != nil {
		return place.backchannel
	}
	return nil
}

// all returns copies of the places of the open sessions.
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

// close ends all sessions side by side, and admits no more.
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

// subscribe begins a subscription of a client with a session. It ends with the
// session at the latest.
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

// ended ends a subscription, also for a client that is gone.
func ended(ctx context.Context, end func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	end(ctx)
}
