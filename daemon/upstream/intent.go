package upstream

import (
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// intent is what the outside wants of a server, and what is known of it
// beforehand. Apply, calls and the user change it from any goroutine; the
// server's own acts on it.
type intent struct {
	// wake receives when something has changed.
	wake chan struct{}

	// mu guards what follows.
	mu   sync.Mutex
	want wants
	// earlier is what earlier runs have left of the wanted configuration; nil
	// is nothing.
	earlier *manifest
	// using counts the requests under way, usedAt is when the last one ended.
	using  int
	usedAt time.Time
	// challenge is what the server said when it asked for a sign-in.
	challenge []string
}

// change alters what is wanted and wakes the goroutine that acts on it.
func (i *intent) change(alter func(*wants)) {
	i.mu.Lock()
	alter(&i.want)
	i.mu.Unlock()
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// wanted returns what is wanted now and what is known of it.
func (i *intent) wanted() (wants, *manifest) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.want, i.earlier
}

// demand starts a lazy server.
func (i *intent) demand() {
	i.change(func(w *wants) {
		if !w.demand {
			w.demand, w.demandAt = true, time.Now()
		}
	})
}

// use notes a request until done is called: a server does not fall asleep
// meanwhile.
func (i *intent) use() (done func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.using++
	return func() {
		i.change(func(*wants) {
			i.using--
			i.usedAt = time.Now()
		})
	}
}

// restSince takes back the demand for a server that was neither used nor started
// within the idle time, and calls end before another request can begin. Else it
// returns what is left of that time, 0 while a request is under way.
func (i *intent) restSince(started time.Time, idle time.Duration, end func()) (left time.Duration, rested bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.using > 0 {
		return 0, false
	}
	since := started
	if i.usedAt.After(since) {
		since = i.usedAt
	}
	if left = idle - time.Since(since); left > 0 {
		return left, false
	}
	i.want.demand = false
	end()
	return 0, true
}

// demandedAt returns when a call began to wait for the server, and forgets it.
func (i *intent) demandedAt() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := i.want.demandAt
	i.want.demandAt = time.Time{}
	return at
}

// learn notes what is known of a configuration, if it is still wanted.
func (i *intent) learn(hash string, m *manifest) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.want.hash == hash {
		i.earlier = m
	}
}

// useToken makes the next connection use the stored token from the start, and
// not only when it is refused.
func (i *intent) useToken() {
	i.mu.Lock()
	defer i.mu.Unlock()
	earlier := manifest{}
	if i.earlier != nil {
		earlier = *i.earlier
	}
	earlier.OAuth = true
	i.earlier = &earlier
}

// noteChallenge remembers where a server wants the user to sign in.
func (i *intent) noteChallenge(refusal *wire.SignInWanted) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.challenge = refusal.Challenge
}

func (i *intent) lastChallenge() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.challenge
}
