package upstream

import "time"

// wants is the desired state of a server. It is level-triggered: if several changes
// arrive while the server is busy, only the last one counts.
type wants struct {
	cfg  Config
	hash string
	// sharing is the [wire.Sharing.ProcessKey] of cfg.
	sharing string
	// removed: the server is no longer in the configuration.
	removed bool
	// stopped: the user stopped it.
	stopped bool
	// restarts counts the requests to restart.
	restarts uint64
	// signedIn: the server has sent the user to a web page of its own.
	signedIn bool
	// demand: a call or the user requested a lazy server. demandAt is when the first call
	// began to wait.
	demand   bool
	demandAt time.Time
}

// mayRun reports whether the server may have a connection.
func (w wants) mayRun() bool {
	return !w.removed && !w.stopped && !w.cfg.Disabled && w.cfg.Hold.Kind == ""
}

// stage is the actual state of a server.
type stage struct {
	connected bool
	dialing   bool
	// abandoned: the attempt under way was cancelled and has not returned yet.
	abandoned bool
	// hash, sharing and restarts are those of the connection or the last attempt.
	hash     string
	sharing  string
	restarts uint64
	// parked: a retry cannot help until the configuration or the user's wish changes.
	parked bool
	// waiting: the retry timer runs.
	waiting bool
	// known: the tools are known from an earlier run.
	known bool
	// slept: it was stopped because it was idle.
	slept bool
}

// action is the next step of a server.
type action int

const (
	// stay: do nothing; the server is in the desired state or on its way there.
	stay action = iota
	// rest: stay without a connection.
	rest
	// dial: start an attempt to connect.
	dial
	// disconnect: close the connection.
	disconnect
	// abandon: cancel the attempt under way.
	abandon
	// exit: end the goroutine; the server is removed and holds nothing.
	exit
)

// decide returns the next step of a server. It is pure, and the only place that decides
// about starting and stopping.
func decide(w wants, s stage) action {
	stale := s.hash != w.hash || s.restarts != w.restarts || s.sharing != w.sharing
	switch {
	case s.connected:
		if !w.mayRun() || stale {
			return disconnect
		}
		return stay
	case s.dialing:
		// One attempt at a time: the old process may hold a resource that the new one
		// needs.
		if !s.abandoned && (!w.mayRun() || stale) {
			return abandon
		}
		return stay
	case w.removed:
		return exit
	case !w.mayRun():
		return rest
	case !stale && (s.parked || s.waiting):
		return stay
	case (w.cfg.Asleep || (w.cfg.Lazy || s.slept && w.cfg.Idle > 0) && s.known) && !w.demand:
		return rest
	default:
		return dial
	}
}

// restState returns the state of a server without a connection that is not to be started.
func restState(w wants, known bool) State {
	switch {
	case w.cfg.Disabled:
		return Disabled
	case w.stopped:
		return Stopped
	case known:
		return Known
	default:
		return Configured
	}
}
