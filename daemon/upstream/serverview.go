package upstream

import (
	"log/slog"
	"reflect"
	"time"
)

// publish stores s.show as the server's view and notifies the manager.
func (s *server) publish() {
	s.expose()
	s.shared.published()
}

// expose stores s.show as the server's view.
func (s *server) expose() {
	fresh := s.show
	fresh.conn = s.conn
	if fresh.Status.State != Ready {
		fresh.conn = nil
	}
	fresh.next = make(chan struct{})
	old := s.seen.Swap(&fresh)
	if old != nil {
		close(old.next)
	}
}

// introduce creates the first view of a server that does not run yet. Apply calls it for
// each new server, then publishes once.
func (s *server) introduce() {
	w, earlier := s.wanted()
	s.remember(w, earlier)
	s.show.showRest(s.shared.log, w, s.at.known)
	s.expose()
}

// enter changes the state and clears the fields that belong to the old state.
func (v *view) enter(log *slog.Logger, state State) {
	if !canFollow(v.Status.State, state) {
		log.Error("a server took a transition that does not exist; please report this",
			"server", v.Name, "from", v.Status.State, "to", state)
	}
	status := &v.Status
	status.State, status.Error, status.Next, status.Missing, status.RetryAt = state, "", "", "", time.Time{}
	if state != Ready {
		status.PID, status.ProtocolVersion, status.StartedAt = 0, "", time.Time{}
	}
}

// rest publishes the view of a server that is not to run.
func (s *server) rest(w wants) {
	stop(&s.retryTimer)
	s.at.waiting, s.at.parked = false, false
	before := s.show
	s.show.showRest(s.shared.log, w, s.at.known)
	if !sameView(before, s.show) {
		s.publish()
	}
}

func (v *view) showRest(log *slog.Logger, w wants, known bool) {
	v.enter(log, restState(w, known))
	v.describe(w)
	next := &v.Status.Next
	switch {
	case v.Hold.Kind != "":
		*next = v.Hold.Text
	case v.Status.State == Stopped:
		*next = "Restart the server to use its tools."
	case v.Status.State == Disabled:
		*next = `Remove "disabled" from its entry to use its tools.`
	}
}

// refresh publishes changes of the configuration that need no new connection.
func (s *server) refresh(w wants) {
	before := s.show
	s.show.describe(w)
	if !sameView(before, s.show) {
		s.publish()
	}
}

// describe copies the fields of a view that come from the configuration.
func (v *view) describe(w wants) {
	v.Transport, v.Hold, v.timeout = w.cfg.Transport, w.cfg.Hold, w.cfg.Timeout
	v.Share, v.ShareWhy = w.cfg.Sharing.With, w.cfg.Sharing.Why
}

// sameView compares two views except for their tools, whose changes are published
// separately.
func sameView(a, b view) bool {
	a.Tools, b.Tools = nil, nil
	return reflect.DeepEqual(a, b)
}

// remember fills the view from the manifest cache for a configuration that the server has
// not run with yet. Without a manifest, the tools of the old configuration stay until the
// new one has listed its own.
func (s *server) remember(w wants, earlier *manifest) {
	if s.at.hash == w.hash || s.remembered == w.hash {
		return
	}
	s.remembered = w.hash
	s.at.known = earlier != nil
	if earlier == nil {
		return
	}
	s.show.Tools, s.show.Info = earlier.Tools, earlier.Info
	s.show.Instructions, s.show.Capabilities = earlier.Instructions, earlier.Capabilities
	s.show.Status.Era, s.show.Status.Warnings = earlier.Era, nil
}

func (v *view) unavailable(cause error) error {
	return &UnavailableError{
		Server: v.Name, State: v.Status.State, Cause: cause,
		Next: v.Status.Next, RetryAt: v.Status.RetryAt,
	}
}

// lost returns the error of a call that was under way when the connection ended.
func (v *view) lost(cause error) error {
	now := v.Status
	e := &UnavailableError{Server: v.Name, State: now.State, Cause: cause, Next: now.Next, RetryAt: now.RetryAt}
	if now.State == Ready {
		// The server's goroutine has not handled the loss yet.
		e.State = Failed
	}
	if e.Next == "" {
		e.Next = "It is started again."
	}
	return e
}
