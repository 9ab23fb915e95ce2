package upstream

import (
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// intent is the desired state of a server and what earlier runs left of it. Apply, calls
// and the user change it from any goroutine; the server's goroutine acts on it.
type intent struct {
	// wake receives after a change.
	wake chan struct{}

	// mu guards what follows.
	mu   sync.Mutex
	want wants
	// earlier is the manifest of the desired configuration; nil if there is none.
	earlier *manifest
	// using counts the requests under way; usedAt is when the last one ended.
	using  int
	usedAt time.Time
	// challenge holds the WWW-Authenticate headers of the last refusal.
	challenge []string
}

// change changes the desired state and wakes the server's goroutine.
func (i *intent) change(alter func(*wants)) {
	i.mu.Lock()
	alter(&i.want)
	i.mu.Unlock()
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// wanted returns the desired state and the manifest of its configuration, which may be
// nil.
func (i *intent) wanted() (wants, *manifest) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.want, i.earlier
}

// demand requests the start of a lazy server.
func (i *intent) demand() {
	i.change(func(w *wants) {
		if !w.demand {
			w.demand, w.demandAt = true, time.Now()
		}
	})
}

// use counts a request as under way until done is called. Meanwhile the server is not
// stopped for being idle.
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

// restSince clears the demand for a server that was idle for the idle time, and calls end
// before another request can begin. Otherwise it returns the rest of that time; 0 means
// that a request is under way.
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

// demandedAt returns when a call began to wait for the server, and clears it.
func (i *intent) demandedAt() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := i.want.demandAt
	i.want.demandAt = time.Time{}
	return at
}

// learn stores the manifest of a configuration, if it is still the desired one.
func (i *intent) learn(hash string, m *manifest) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.want.hash == hash {
		i.earlier = m
	}
}

// useToken makes the next connection use the stored token from its first request.
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

// noteChallenge stores the challenge of a refusal, for [Manager.SignIn].
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
