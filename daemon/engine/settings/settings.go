// Package settings holds the settings in force and reads what a host says
// about them. What the settings are is declared in package protocol; this
// package gives none a meaning.
package settings

import (
	"encoding/json"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/protocol"
)

// Store holds the settings in force, at first the defaults. It is safe for
// concurrent use.
type Store struct {
	applying sync.Mutex
	// said is what the host said, and now what follows from it.
	said protocol.Settings // guarded by applying
	now  atomic.Pointer[protocol.Settings]
}

// NewStore returns the defaults.
func NewStore() *Store {
	s := &Store{said: protocol.DefaultSettings()}
	defaults := s.said
	s.now.Store(&defaults)
	return s
}

// Load returns the settings in force. They are not changed: settings that
// differ are another value, at another address.
func (s *Store) Load() *protocol.Settings { return s.now.Load() }

// Apply puts what raw says into force, as [Decode] reads it. Settings that are
// the same keep their address.
func (s *Store) Apply(raw json.RawMessage) []Problem {
	s.applying.Lock()
	defer s.applying.Unlock()
	next, problems := Decode(s.said, raw)
	s.said = next
	if !next.Enabled {
		next.SearchTurns = 0
	}
	if !reflect.DeepEqual(&next, s.Load()) {
		s.now.Store(&next)
	}
	return problems
}
