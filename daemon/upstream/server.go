package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// pingEvery is the time between pings on a transport that does not notice that the server
// is gone. pingsMissed consecutive unanswered pings end the connection.
const (
	pingEvery   = 30 * time.Second
	pingsMissed = 2
)

// saveEvery is the shortest time between two writes of a manifest because of changed
// tools.
const saveEvery = 10 * time.Second

// shared holds what the servers of one manager have in common.
type shared struct {
	dial      wire.DialFunc
	manifests manifests
	log       *slog.Logger
	unmasked  func() bool // see [Options.Unmasked]
	// announced passes on an announcement of a server.
	announced func(Announcement)
	// published is called after a server has published a view.
	published func()
	// slept is called with the name of a server that was stopped because it was idle.
	slept func(server string)
	// retire removes a server that holds nothing any more. It returns false if the server
	// is wanted again.
	retire func(*server) bool
}

// connect makes one attempt to connect.
func (h *shared) connect(ctx context.Context, a wire.Attempt) (shake *wire.Handshake, err error) {
	defer fault.Recovered(func(p error) { err = p })
	return h.dial(ctx, a)
}

// view is the published state of a server. It is immutable.
type view struct {
	ServerSnapshot
	// conn is set while the server is ready.
	conn wire.Connection
	// timeout is the time limit of a call.
	timeout time.Duration
	// next is closed when a newer view is published.
	next chan struct{}
}

// server owns one MCP server. The fields from at on belong to the goroutine of run.
type server struct {
	intent
	name   string
	shared *shared
	// log and redact last for all connections of the server.
	log    *clean.Ring
	redact *clean.Redactor
	seen   atomic.Pointer[view]
	// child is the process id of the last started child.
	child atomic.Int64
	// subscriptions are those of the gateway's clients.
	subscriptions resourceSubscriptions
	// signing is held during a sign-in.
	signing sync.Mutex

	at         stage
	show       view
	conn       wire.Connection
	generation uint64
	cancelDial context.CancelFunc
	silences   int
	readyAt    time.Time
	retry      *backoff.ExponentialBackOff
	retryTimer *time.Timer
	changes    debounce
	listing    bool
	slowTimer  *time.Timer
	pingTimer  *time.Timer
	staleTimer *time.Timer
	misses     int
	// idleTimer fires when the connection may have been idle for the idle time. moved:
	// the server has listed different tools since it was started.
	idleTimer *time.Timer
	moved     bool
	savedAt   time.Time
	unsaved   bool
	// oauth: the connection required a token.
	oauth bool
	// redirect is the redirect that ended the last connection, or nil.
	redirect *wire.RedirectError
	// remembered is the hash of the configuration whose manifest was loaded.
	remembered string

	// again receives after [Manager.Relist]. It has room for one.
	again  chan struct{}
	dialed chan dialResult
	listed chan listResult
	pinged chan pingResult
	// done is closed when run ends; results are discarded from then on.
	done chan struct{}
	work sync.WaitGroup
}

type dialResult struct {
	generation uint64
	handshake  *wire.Handshake
	took       time.Duration
	err        error
}

type listResult struct {
	generation uint64
	listing    wire.Listing
	err        error
}

type pingResult struct {
	generation uint64
	err        error
}

// newServer returns a server in its resting state. run starts it.
func newServer(name string, h *shared) *server {
	s := &server{
		name: name, shared: h,
		log: &clean.Ring{}, redact: &clean.Redactor{Unmasked: h.unmasked},
		intent: intent{wake: make(chan struct{}, 1)},
		retry:  wire.NewBackoff(),
		dialed: make(chan dialResult), listed: make(chan listResult), pinged: make(chan pingResult),
		done: make(chan struct{}), again: make(chan struct{}, 1),
	}
	s.show = view{ServerSnapshot: ServerSnapshot{Name: name, Status: Status{State: Configured}}}
	return s
}

// adopt makes cfg the desired configuration and loads its manifest. Apply calls it.
func (s *server) adopt(cfg Config) {
	hash := cfg.Hash()
	s.redact.Absorb(cfg.Settings())
	before, _ := s.wanted()
	same := before.hash == hash
	var earlier *manifest
	if !same {
		earlier = s.shared.manifests.load(hash)
	}
	s.change(func(w *wants) {
		w.cfg, w.hash, w.sharing, w.removed = cfg, hash, cfg.Sharing.ProcessKey(), false
		if !same {
			s.earlier = earlier
		}
	})
}

// run owns the server until ctx ends or it is retired.
func (s *server) run(ctx context.Context) {
	defer s.finish()
	for !s.settle(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case r := <-s.dialed:
			s.onDialed(ctx, r)
		case r := <-s.listed:
			s.onListed(r)
		case r := <-s.pinged:
			s.onPinged(r)
		case <-channel(s.retryTimer):
			s.at.waiting = false
		case <-channel(s.slowTimer):
			s.onSlow()
		case <-channel(s.idleTimer):
		case <-channel(s.pingTimer):
			s.startPing(ctx)
		case <-s.changes.fires():
			s.startListing(ctx)
		case <-channel(s.staleTimer):
			s.startListing(ctx)
		case <-s.again:
			s.startListing(ctx)
		case <-changed(s.conn):
			s.changes.note()
		case <-lost(s.conn):
			s.onLost(ctx)
		}
	}
}

// channel returns the channel of a timer, or nil if there is no timer.
func channel(t *time.Timer) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C
}

// changed and lost return the channels of a connection, or nil if there is none.
func changed(c wire.Connection) <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.Changed()
}

func lost(c wire.Connection) <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.Lost()
}

// settle takes steps until the server is in the desired state or on its way there. It
// returns true once the manager has removed the server.
func (s *server) settle(ctx context.Context) bool {
	for ctx.Err() == nil {
		w, earlier := s.wanted()
		if !s.at.connected && !s.at.dialing {
			s.remember(w, earlier)
		}
		switch decide(w, s.at) {
		case stay:
			if s.fallAsleep(ctx, w) {
				continue
			}
			s.refresh(w)
			return false
		case rest:
			s.rest(w)
			return false
		case dial:
			s.startDial(ctx, w, earlier)
		case disconnect:
			s.disconnect(ctx, w)
		case abandon:
			s.at.abandoned = true
			s.cancelDial()
		case exit:
			if s.shared.retire(s) {
				return true
			}
		}
	}
	return false
}

// finish releases everything when run ends.
func (s *server) finish() {
	close(s.done)
	stop(&s.retryTimer)
	stop(&s.slowTimer)
	if s.at.dialing {
		s.cancelDial()
	}
	s.drop(process.PromptGrace(), closedChannel())
	s.work.Wait()
}

func stop(t **time.Timer) {
	if *t != nil {
		(*t).Stop()
		*t = nil
	}
}

func closedChannel() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// await returns a view with a live connection. It starts a server that can be started.
//
// waits, which may be nil, is called once if the caller has to wait.
func (s *server) await(ctx context.Context, waits func()) (*view, error) {
	for {
		v := s.seen.Load()
		w, _ := s.wanted()
		switch {
		case v.conn != nil && !over(v.conn.Lost()):
			return v, nil
		case v.conn != nil, v.Status.State == Starting:
		case w.mayRun() && !v.mayRun():
			// The configuration allows the server again, and its goroutine has not
			// published that yet.
			s.demand()
		case v.Available():
			s.demand()
		default:
			return nil, v.unavailable(errText(v.Status.Error))
		}
		if waits != nil {
			waits()
			waits = nil
		}
		select {
		case <-v.next:
		case <-s.done:
			return nil, v.unavailable(wire.ErrClosing)
		case <-ctx.Done():
			return nil, fmt.Errorf("MCP server %q: waiting for its start: %w", s.name, context.Cause(ctx))
		}
	}
}

// callError maps an error of a connection to an error of [Manager.Call].
func (s *server) callError(v *view, what string, err error) error {
	var refusal *wire.SignInWanted
	switch {
	case errors.As(err, new(*TimeoutError)), errors.As(err, new(*RPCError)):
		return err
	case errors.Is(err, wire.ErrEndedUnderWay):
		return &CallError{Server: s.name, What: what, Cause: err}
	case over(v.conn.Lost()):
		return s.seen.Load().lost(v.conn.Cause())
	case errors.As(err, &refusal):
		s.noteChallenge(refusal)
		return &UnavailableError{Server: s.name, State: SignedOut, Cause: err, Next: signInNext}
	default:
		return &CallError{Server: s.name, What: what, Cause: err}
	}
}
