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

// pingEvery is the time between pings of a server whose transport does not
// notice that it is gone; pingsMissed is how many may stay unanswered.
const (
	pingEvery   = 30 * time.Second
	pingsMissed = 2
)

// saveEvery bounds how often the manifest of a server that keeps changing its
// tools is written.
const saveEvery = 10 * time.Second

// shared is what the servers of one manager share.
type shared struct {
	dial      wire.DialFunc
	manifests manifests
	log       *slog.Logger
	unmasked  func() bool // see [Options.Unmasked]
	// announced passes on what servers announce.
	announced func(Announcement)
	// published is called after a server has published a view of itself.
	published func()
	// slept is told of a server that was stopped because nothing used it.
	slept func(server string)
	// retire removes a server that holds nothing any more. It answers false
	// when the server is wanted again.
	retire func(*server) bool
}

// connect makes one attempt to connect.
func (h *shared) connect(ctx context.Context, a wire.Attempt) (shake *wire.Handshake, err error) {
	defer fault.Recovered(func(p error) { err = p })
	return h.dial(ctx, a)
}

// view is what a server shows of itself: an immutable value.
type view struct {
	ServerSnapshot
	// conn is set while the server is ready.
	conn wire.Connection
	// timeout bounds a call.
	timeout time.Duration
	// next is closed when there is a newer view.
	next chan struct{}
}

// server owns one MCP server. All fields below the first block belong to the
// goroutine of run.
type server struct {
	intent
	name   string
	shared *shared
	// log and redact live as long as the server, over all its connections.
	log    *clean.Ring
	redact *clean.Redactor
	seen   atomic.Pointer[view]
	// child is the process started last.
	child atomic.Int64
	// subscriptions are those of the gateway's clients.
	subscriptions resourceSubscriptions
	// signing is held by a sign-in under way.
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
	// idleTimer ends when the connection may have been idle for long enough; moved:
	// the server has listed other tools since it was started.
	idleTimer *time.Timer
	moved     bool
	savedAt   time.Time
	unsaved   bool
	// oauth: the connection needed a token.
	oauth bool
	// redirect ended the last connection; nil for another end.
	redirect *wire.RedirectError
	// remembered is the hash of the configuration whose manifest is shown.
	remembered string

	dialed chan dialResult
	listed chan listResult
	pinged chan pingResult
	// done is closed when run has ended: results have nobody to go to.
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

// newServer makes a server in its resting state; run starts it.
func newServer(name string, h *shared) *server {
	s := &server{
		name: name, shared: h,
		log: &clean.Ring{}, redact: &clean.Redactor{Unmasked: h.unmasked},
		intent: intent{wake: make(chan struct{}, 1)},
		retry:  wire.NewBackoff(),
		dialed: make(chan dialResult), listed: make(chan listResult), pinged: make(chan pingResult),
		done: make(chan struct{}),
	}
	s.show = view{ServerSnapshot: ServerSnapshot{Name: name, Status: Status{State: Configured}}}
	return s
}

// adopt makes cfg what is wanted and finds out what is known of it. It is
// called by Apply.
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
		case <-changed(s.conn):
			s.changes.note()
		case <-lost(s.conn):
			s.onLost(ctx)
		}
	}
}

// channel returns a timer's channel, or nil while there is no timer.
func channel(t *time.Timer) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C
}

// changed and lost are those of a connection, or nil while there is none.
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

// settle takes steps until what is wanted is so or on its way. It reports true
// when the server is no longer the manager's.
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

// finish releases everything when the server ends, for whichever reason.
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

// await returns a view of the server with a live connection, starting the
// server if that is all it takes.
//
// waits, which may be nil, is called once when the caller has to wait.
func (s *server) await(ctx context.Context, waits func()) (*view, error) {
	for {
		v := s.seen.Load()
		w, _ := s.wanted()
		switch {
		case v.conn != nil && !over(v.conn.Lost()):
			return v, nil
		case v.conn != nil, v.Status.State == Starting:
		case w.mayRun() && !v.mayRun():
			// It was let go a moment ago, and its goroutine has yet to show that.
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

// callError names the server in an error of its connection.
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
