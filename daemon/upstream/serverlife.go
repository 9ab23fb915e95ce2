package upstream

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/plainwords"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// startDial starts an attempt to connect in a goroutine.
func (s *server) startDial(ctx context.Context, w wants, earlier *manifest) {
	stop(&s.retryTimer)
	if s.at.hash != w.hash || s.at.restarts != w.restarts {
		s.retry.Reset()
		s.silences = 0
	}
	s.generation++
	again := s.generation > 1 && s.at.restarts != w.restarts
	s.at.dialing, s.at.abandoned, s.at.parked, s.at.waiting = true, false, false, false
	s.at.hash, s.at.sharing, s.at.restarts = w.hash, w.sharing, w.restarts
	a := wire.Attempt{Config: w.cfg, Generation: s.generation, Silences: s.silences, Redirect: s.redirect, Fresh: again, Log: s.log, Redact: s.redact,
		Started: func(pid int) { s.child.Store(int64(pid)) }, Listed: s.shared.manifests.listed(w.hash)}
	s.redirect = nil
	if earlier != nil {
		a.Known, a.OAuth = earlier.Era, earlier.OAuth
	}
	s.show.enter(s.shared.log, Starting)
	s.show.Status.Generation = s.generation
	s.show.describe(w)
	s.publish()
	s.log.WriteLine(clean.OurPrefix, fmt.Appendf(nil, clean.StartLine+" (attempt %d)", s.generation))

	stop(&s.slowTimer)
	s.slowTimer = time.NewTimer(slowAfter)
	ctx, s.cancelDial = context.WithCancel(ctx)
	s.work.Go(func() {
		began := time.Now()
		h, err := s.shared.connect(ctx, a)
		result := dialResult{generation: a.Generation, handshake: h, took: time.Since(began), err: err}
		select {
		case s.dialed <- result:
		case <-s.done:
			discard(result)
		}
	})
}

// slowAfter is how long a start may take before the status says that the server does not
// answer. Downloading a package takes some seconds.
const slowAfter = 20 * time.Second

// onSlow reports in the status that a starting server does not answer. The attempt
// continues.
func (s *server) onSlow() {
	stop(&s.slowTimer)
	if s.show.Status.State != Starting {
		return
	}
	s.show.Status.Error = "it has not answered since " + time.Now().Add(-slowAfter).Format(time.TimeOnly)
	s.show.Status.Next = "It is still waited for. See its log."
	s.publish()
}

// discard closes the connection of a result that is no longer needed.
func discard(r dialResult) {
	if r.handshake != nil {
		r.handshake.Conn.Close(process.PromptGrace(), nil)
	}
}

// onDialed handles the result of an attempt.
func (s *server) onDialed(ctx context.Context, r dialResult) {
	s.cancelDial()
	stop(&s.slowTimer)
	s.at.dialing = false
	switch {
	case r.generation != s.generation || s.at.abandoned:
		s.work.Go(func() { discard(r) })
	case r.err != nil:
		s.onDialFailed(ctx, r.err)
	default:
		s.onConnected(ctx, r)
	}
}

func (s *server) onConnected(ctx context.Context, r dialResult) {
	h := r.handshake
	s.conn, s.at.connected, s.readyAt, s.silences, s.misses = h.Conn, true, time.Now(), 0, 0
	s.moved = false
	if h.Conn.NeedsPing() {
		s.pingTimer = time.NewTimer(pingEvery)
	}
	s.show.enter(s.shared.log, Ready)
	s.show.Info, s.show.Instructions, s.show.Capabilities = h.Info, h.Instructions, h.Capabilities
	status := &s.show.Status
	status.Era, status.ProtocolVersion, status.PID = h.Era, h.Version, h.PID
	status.StartedAt, status.StartTook = s.readyAt, r.took
	if at := s.demandedAt(); !at.IsZero() {
		s.show.Status.FirstUse = time.Since(at)
		s.shared.log.Info("first use of an MCP server", "server", s.name, "waitedMs", s.show.Status.FirstUse.Milliseconds())
	}
	s.takeTools(h.Listing)
	s.oauth = h.OAuth
	s.writeManifest()
	s.shared.log.Info("MCP server is ready", "server", s.name, "tools", len(s.show.Tools),
		"ms", r.took.Milliseconds(), "era", h.Era, "generation", s.generation)
	s.publish()
	timeout := s.show.timeout
	s.work.Go(func() { s.resubscribe(ctx, h.Conn, timeout) })
}

// takeTools publishes a listing in the server's view, and schedules the next one if the
// server gives the list a lifetime.
func (s *server) takeTools(l wire.Listing) {
	s.at.known = true
	s.expectStale(l.Ttl)
	if !l.Equal(s.show.Tools) {
		// An equal list is not replaced, so that its memory stays shared with older
		// snapshots.
		s.show.Tools = l.Tools
	}
	s.show.Status.Warnings = nil
	for _, warning := range l.Warnings {
		s.show.Status.Warnings = append(s.show.Status.Warnings, clean.Shown(s.redact, warning))
	}
}

// signInNext is the next step that is shown for a server that requires a sign-in.
const signInNext = "Sign in to the server."

// onDialFailed publishes why an attempt failed and schedules the next one.
func (s *server) onDialFailed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if errors.As(err, new(*wire.SilentError)) {
		s.silences++
	} else {
		s.silences = 0
	}
	var refusal *wire.SignInWanted
	if errors.As(err, &refusal) {
		s.at.parked = true
		s.show.enter(s.shared.log, SignedOut)
		s.noteChallenge(refusal)
		s.show.Status.Error, s.show.Status.Next = refusal.Reason, signInNext
		s.publish()
		return
	}
	s.fail(err)
}

// fail publishes a failure. Unless the failure is permanent, it schedules a retry.
func (s *server) fail(err error) {
	s.show.enter(s.shared.log, Failed)
	status := &s.show.Status
	status.Error = brief(clean.Shown(s.redact, plainwords.Of(err)))
	var known *fault.Failure
	if fault := (*fault.Panic)(nil); errors.As(err, &fault) {
		s.shared.log.Error("panic", "server", s.name, "panic", fmt.Sprint(fault.Value), "stack", string(fault.Stack))
	}
	if errors.As(err, &known) {
		status.Next, status.Missing = known.Next, known.Missing
	}
	if s.at.parked = fault.Permanent(err); !s.at.parked {
		delay := wire.NextRetry(s.retry)
		s.at.waiting = true
		status.RetryAt = time.Now().Add(delay)
		s.retryTimer = time.NewTimer(delay)
	}
	s.log.WriteLine(clean.OurPrefix, []byte(status.Error))
	s.shared.log.Warn("MCP server failed", "server", s.name, "error", status.Error,
		"retryAt", status.RetryAt, "generation", s.generation)
	s.publish()
}

// brief truncates an error text to 1000 runes, because it is shown in lists, messages and
// the log.
func brief(text string) string {
	const longest = 1000
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest]) + " …"
}

// onLost handles the unexpected end of a connection.
func (s *server) onLost(ctx context.Context) {
	cause := s.conn.Cause()
	lasted := time.Since(s.readyAt)
	s.drop(process.PromptGrace(), ctx.Done())
	if lasted >= wire.StableAfter {
		s.retry.Reset()
	}
	// An ended session and an expired token are not failures: the server is dialed again
	// at once, unless the connection lasted under atOnce.
	const atOnce = 10 * time.Second
	var refusal *wire.SignInWanted
	if errors.As(cause, &s.redirect) {
		return // the next attempt asks the user about the redirect first
	}
	if (errors.Is(cause, wire.ErrSessionEnded) || errors.As(cause, &refusal)) && lasted > atOnce {
		return
	}
	// Nor is the end of the holder: the next attempt starts another holder.
	if errors.Is(cause, wire.ErrHolderEnded) && lasted > time.Second {
		return
	}
	s.fail(cause)
}

// disconnect closes the connection because the desired state has changed.
func (s *server) disconnect(ctx context.Context, w wants) {
	s.conn.Fail(wire.ErrClosing)
	// The view is published first, so that calls see the change before the process ends.
	if w.mayRun() {
		s.show.enter(s.shared.log, Starting)
		s.show.describe(w)
	} else {
		s.show.showRest(s.shared.log, w, s.at.known)
	}
	s.publish()
	s.drop(process.GentleGrace(), ctx.Done())
}

// fallAsleep stops a server that was idle for its idle time, until the next call. It
// keeps a server whose state a new process would lack: one with resource subscriptions,
// with a sign-in of the user, or with other tools than at its start. It returns false if
// the server keeps running.
func (s *server) fallAsleep(ctx context.Context, w wants) bool {
	stop(&s.idleTimer)
	if s.conn == nil || w.cfg.Idle == 0 || w.signedIn || s.moved || s.listing || len(s.subscriptions.uris()) > 0 {
		return false
	}
	left, rested := s.restSince(s.readyAt, w.cfg.Idle, func() { s.conn.Fail(wire.ErrClosing) })
	if !rested {
		if left > 0 {
			s.idleTimer = time.NewTimer(left)
		}
		return false
	}
	s.at.slept = true
	s.show.showRest(s.shared.log, w, s.at.known)
	s.shared.log.Info("MCP server stopped until it is called: nothing has used it", "server", s.name, "idle", w.cfg.Idle)
	s.publish()
	s.drop(process.GentleGrace(), ctx.Done())
	s.shared.slept(s.name)
	return true
}

// drop closes the connection, if any, and waits for its end.
func (s *server) drop(g process.Grace, hurry <-chan struct{}) {
	stop(&s.idleTimer)
	stop(&s.pingTimer)
	stop(&s.staleTimer)
	s.changes.stop()
	if s.conn == nil {
		return
	}
	s.conn.Close(g, hurry)
	s.conn, s.at.connected, s.listing = nil, false, false
	if s.unsaved {
		s.writeManifest()
	}
}

// resubscribe repeats the subscriptions on a new connection, and sends each subscriber an
// update in place of those that it may have missed.
func (s *server) resubscribe(ctx context.Context, conn wire.Connection, timeout time.Duration) {
	for _, uri := range s.subscriptions.uris() {
		asked, err := s.subscriptions.renew(ctx, conn, timeout, uri)
		if err != nil {
			s.log.WriteLine(clean.OurPrefix, []byte(clean.Shown(s.redact, "a subscription could not be renewed: "+err.Error())))
		}
		if !asked || err != nil {
			continue
		}
		s.shared.announced(Announcement{
			Server: s.name, Method: mcp.MethodNotificationResourceUpdated,
			Params: codec.Marshal(map[string]string{"uri": uri}),
		})
	}
}
