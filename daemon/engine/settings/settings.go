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
	// What follows is guarded by applying. said is what the host said for the user,
	// of the settings that has is true for; workspace is what it said for the
	// workspace.
	said      protocol.Settings
	has       map[string]bool
	workspace json.RawMessage
	// told are the conflicts between the user and the workspace that were reported.
	told map[Problem]bool
	now  atomic.Pointer[protocol.Settings]
}

// NewStore returns the defaults.
func NewStore() *Store {
	s := &Store{said: protocol.DefaultSettings(), has: map[string]bool{}, told: map[Problem]bool{}}
	defaults := s.said
	s.now.Store(&defaults)
	return s
}

// Load returns the settings in force. They are not changed: settings that
// differ are another value, at another address.
func (s *Store) Load() *protocol.Settings { return s.now.Load() }

// Apply puts what the user's raw says into force, as [Decode] reads it, and over
// it the workspace's: nil leaves that as it was, and with it raw is all that the
// user says. Settings that are the same keep their address. A conflict between
// the two is reported once.
func (s *Store) Apply(raw, workspace json.RawMessage) []Problem {
	s.applying.Lock()
	defer s.applying.Unlock()
	if workspace != nil {
		s.said, s.has, s.workspace = protocol.DefaultSettings(), map[string]bool{}, workspace
	}
	next, problems := decode(s.said, raw, s.has)
	s.said = next
	return append(problems, s.combine(workspace != nil)...)
}

// profile returns the profile in force: the workspace's, which is reported by
// combine where it cannot be used, or the user's.
func (s *Store) profile() protocol.Profile {
	over, _ := Decode(s.said, s.workspace)
	return over.Profile
}

// combine puts into force what all have said.
func (s *Store) combine(workspaceIsNew bool) []Problem {
	user := overlay(protocol.ProfileSettings(s.profile()), s.said, s.has)
	over, problems := Decode(user, s.workspace)
	if !workspaceIsNew {
		problems = nil
	}
	next, conflicts := combine(user, over, s.has)
	told := map[Problem]bool{}
	for _, p := range conflicts {
		if told[p] = true; !s.told[p] {
			problems = append(problems, p)
		}
	}
	s.told = told
	if !next.Enabled {
		next.SearchTurns = 0
	}
	if !reflect.DeepEqual(&next, s.Load()) {
		s.now.Store(&next)
	}
	return problems
}
