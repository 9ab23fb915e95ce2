package upstream

import (
	"reflect"
	"time"
)

// publish makes the server's view of itself visible and says so. The caller
// has changed s.show.
func (s *server) publish() {
	s.expose()
	s.shared.published()
}

// expose makes the server's view of itself visible.
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

// introduce makes the first view of a server that does not run yet. Apply
// calls it and publishes once for all.
func (s *server) introduce() {
	w, earlier := s.wanted()
	s.remember(w, earlier)
	s.showRest(w)
	s.expose()
}

// enter changes the state, and what belongs to the old one is forgotten.
func (s *server) enter(state State) {
	if !canFollow(s.show.Status.State, state) {
		s.shared.log.Error("a server took a transition that does not exist; please report this",
			"server", s.name, "from", s.show.Status.State, "to", state)
	}
	status := &s.show.Status
	status.State, status.Error, status.Next, status.RetryAt = state, "", "", time.Time{}
	if state != Ready {
		status.PID, status.ProtocolVersion, status.StartedAt = 0, "", time.Time{}
	}
}

// rest shows a server that is not wanted to run.
func (s *server) rest(w wants) {
	stop(&s.retryTimer)
	s.at.waiting, s.at.parked = false, false
	before := s.show
	s.showRest(w)
	if !sameView(before, s.show) {
		s.publish()
	}
}

func (s *server) showRest(w wants) {
	s.enter(restState(w, s.at.known))
	s.describe(w)
	next := &s.show.Status.Next
	switch {
	case s.show.Hold.Kind != "":
		*next = s.show.Hold.Text
	case s.show.Status.State == Stopped:
		*next = "Restart the server to use its tools."
	case s.show.Status.State == Disabled:
		*next = `Remove "disabled" from its entry to use its tools.`
	}
}

// refresh shows changes of the configuration that need no new connection.
func (s *server) refresh(w wants) {
	before := s.show
	s.describe(w)
	if !sameView(before, s.show) {
		s.publish()
	}
}

// describe copies what a view repeats from the configuration.
func (s *server) describe(w wants) {
	s.show.Transport, s.show.Hold, s.show.timeout = w.cfg.Transport, w.cfg.Hold, w.cfg.Timeout
}

// sameView compares two views but for their tools, whose change is published
// where it happens.
func sameView(a, b view) bool {
	a.Tools, b.Tools = nil, nil
	return reflect.DeepEqual(a, b)
}

// remember takes over what the manifest cache knows of a configuration that
// the server has not run with yet. Without a manifest the tools of the old
// configuration stay until the new one has listed its own.
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
