package engine

import (
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/protocol"
)

// inForce reports the settings in force to the host: each version once, in order, and
// none before the host handles requests.
type inForce struct {
	mu      sync.Mutex
	started bool
	told    *protocol.Settings
}

func (f *inForce) start(h host.Host, s *settings.Store) {
	f.mu.Lock()
	f.started = true
	f.mu.Unlock()
	f.tell(h, s)
}

func (f *inForce) tell(h host.Host, s *settings.Store) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := s.Load(); f.started && now != f.told {
		f.told = now
		h.SettingsInForce(*now)
	}
}
