package gateway

import (
	"context"
	"slices"
	"sync"
	"time"
)

// startup tracks the start of the servers and the first list of a client.
type startup struct {
	// servers is closed when the servers of a face without a host start. With a host,
	// which starts them itself, it is nil. It is set before the first client is served.
	servers chan struct{}
	// listed is closed when a client has received its first list.
	listed     chan struct{}
	listedOnce sync.Once

	// mu guards what follows.
	mu sync.Mutex
	// settling ends when calls no longer wait for starting servers; nil before
	// settleWithin.
	settling context.Context //nolint:containedctx // the time since the face's start
	// known counts the servers whose tools are known. cameUp is when a server was last
	// seen to become ready or to work on it.
	known  int
	cameUp time.Time
	// missed holds servers that were waited for in vain.
	missed map[string]bool
}

func newStartup() startup { return startup{listed: make(chan struct{})} }

// settleWithin starts the settle time; stop ends it early.
func (s *startup) settleWithin(life context.Context, limit time.Duration) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	settling, stop := context.WithTimeout(life, limit)
	s.settling = settling
	return stop
}

// settled returns a channel that is closed at the end of the settle time.
func (s *startup) settled() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settling.Done()
}

// noteKnown records the number of servers whose tools are known.
func (s *startup) noteKnown(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.known {
		s.cameUp = time.Now()
	}
	s.known = n
}

// noteWork records that a starting server is busy.
func (s *startup) noteWork() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cameUp = time.Now()
}

// sampleTime is the shortest time for which CPU use is sampled.
const sampleTime = 200 * time.Millisecond

// quiet fires quietTime after the last server came up, but not before sampleTime; nil if
// none has come up.
func (s *startup) quiet() <-chan time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cameUp.IsZero() {
		return nil
	}
	return time.After(max(sampleTime, time.Until(s.cameUp.Add(quietTime))))
}

// giveUp records servers that were waited for in vain. notGivenUp filters them out.
func (s *startup) giveUp(servers []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missed == nil {
		s.missed = map[string]bool{}
	}
	for _, name := range servers {
		s.missed[name] = true
	}
}

func (s *startup) notGivenUp(servers []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(servers), func(name string) bool { return s.missed[name] })
}

// noteList records that a client has received its list.
func (s *startup) noteList() { s.listedOnce.Do(func() { close(s.listed) }) }

// awaitServers waits until the servers were started.
func (s *startup) awaitServers(ctx context.Context) {
	if s.servers == nil {
		return
	}
	s.noteList() // the start need not wait for a list
	select {
	case <-s.servers:
	case <-ctx.Done():
	}
}
