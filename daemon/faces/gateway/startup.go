package gateway

import (
	"context"
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

	// mu guards settling, which ends when nothing waits any more for servers
	// that start; nil before the face has begun.
	mu       sync.Mutex
	settling context.Context //nolint:containedctx // the time since the face's start
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

// noteList notes that a client has had its list.
func (s *startup) noteList() { s.listedOnce.Do(func() { close(s.listed) }) }

// awaitServers returns when servers may be called.
func (s *startup) awaitServers(ctx context.Context) {
	if s.servers == nil {
		return
	}
	s.noteList() // whoever calls waits for no list
	select {
	case <-s.servers:
	case <-ctx.Done():
	}
}
