package gateway

import (
	"context"
	"slices"
	"sync"
	"time"
)

// startup is the time in which servers start and a first client lists.
type startup struct {
	// servers is closed when the servers of a face without a host start; nil
	// with a host, which starts them itself. It is set before anybody is served.
	servers chan struct{}
	// listed is closed when a client has had its list.
	listed     chan struct{}
	listedOnce sync.Once

	// mu guards what follows.
	mu sync.Mutex
	// settling ends when nothing waits any more for servers that start; nil
	// before the face has begun.
	settling context.Context //nolint:containedctx // the time since the face's start
	// known counts the servers whose tools are known. cameUp is when one was seen
	// to come up, or to work at it.
	known  int
	cameUp time.Time
	// missed are servers that were waited for and did not come.
	missed map[string]bool
}

func newStartup() startup { return startup{listed: make(chan struct{})} }

// settleWithin begins the time to settle; stop ends it early.
func (s *startup) settleWithin(life context.Context, limit time.Duration) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	settling, stop := context.WithTimeout(life, limit)
	s.settling = settling
	return stop
}

// settled is closed when the face has had its time to settle.
func (s *startup) settled() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settling.Done()
}

// noteKnown notes how many servers' tools are known now.
func (s *startup) noteKnown(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.known {
		s.cameUp = time.Now()
	}
	s.known = n
}

// noteWork notes that a server is seen to come up.
func (s *startup) noteWork() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cameUp = time.Now()
}

// sampleTime is how long servers are watched at least.
const sampleTime = 200 * time.Millisecond

// quiet fires when the last server has come up a while ago; nil while none has.
func (s *startup) quiet() <-chan time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cameUp.IsZero() {
		return nil
	}
	return time.After(max(sampleTime, time.Until(s.cameUp.Add(quietTime))))
}

// giveUp notes servers that were waited for in vain; notGivenUp returns those
// that were not.
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

// noteList notes that a client has had its list.
func (s *startup) noteList() { s.listedOnce.Do(func() { close(s.listed) }) }

// awaitServers returns when servers may be called.
func (s *startup) awaitServers(ctx context.Context) {
	if s.servers == nil {
		return
	}
	s.noteList() // callers wait for no list
	select {
	case <-s.servers:
	case <-ctx.Done():
	}
}
