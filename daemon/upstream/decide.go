package upstream

import "time"

// wants is what the outside wants of a server. It is level-triggered: however
// many changes arrive while the server is busy, only the last matters.
type wants struct {
	cfg  Config
	hash string
	// sharing is the [wire.Sharing.ProcessKey] of cfg.
	sharing string
	// removed: the server left the configuration.
	removed bool
	// stopped: the user stopped it.
	stopped bool
	// restarts counts the requests to begin anew.
	restarts uint64
	// signedIn: the server has sent the user to a page of its own.
	signedIn bool
	// demand: a call, or the user, asked for a lazy server. demandAt is when a
	// call began to wait.
	demand   bool
	demandAt time.Time
}

// mayRun reports whether the server may have a connection at all.
func (w wants) mayRun() bool {
	return !w.removed && !w.stopped && !w.cfg.Disabled && w.cfg.Hold.Kind == ""
}

// stage is how far a server has come.
type stage struct {
	connected bool
	dialing   bool
	// abandoned: the attempt under way is given up, its end awaited.
	abandoned bool
	// hash, sharing and restarts are those of the connection or the last attempt.
	hash     string
	sharing  string
	restarts uint64
	// parked: another attempt is useless until something changes.
	parked bool
	// waiting: the next attempt has its time.
	waiting bool
	// known: the tools are known from an earlier run.
	known bool
	// slept: it was stopped because nothing used it.
	slept bool
}

// action is the next step of a server.
type action int

const (
	// stay: all is as it should be, or is on its way.
	stay action = iota
	// rest: be without a connection.
	rest
	// dial: begin an attempt to connect.
	dial
	// disconnect: close the connection.
	disconnect
	// abandon: give up the attempt under way.
	abandon
	// exit: the server is no longer wanted and holds nothing.
	exit
)

// decide returns the next step of a server. It is a pure function, and the
// only place where starting and stopping is decided.
func decide(w wants, s stage) action {
	stale := s.hash != w.hash || s.restarts != w.restarts || s.sharing != w.sharing
	switch {
	case s.connected:
		if !w.mayRun() || stale {
			return disconnect
		}
		return stay
	case s.dialing:
		// One attempt at a time: the old process may hold what the new needs.
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

// restState names the state of a server that rests.
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
