// Package settings holds the settings in force and reads what a host says
// about them. What the settings are is declared in package protocol; this
// package gives none a meaning.
package settings

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
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
	// workspaceFile is the editor's file that workspace stands in, if it is known.
	workspaceFile string
	// files is what the files of Winnow say, the strongest first.
	files struct{ user, workspace []Text }
	// told are the problems of files, of the workspace, and between it and the user
	// that were reported.
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
	return append(problems, s.combine()...)
}

// SetWorkspaceFile names the file in which the editor keeps what it says for the
// workspace.
func (s *Store) SetWorkspaceFile(file string) {
	s.applying.Lock()
	defer s.applying.Unlock()
	s.workspaceFile = file
}

// Text is what one file says about settings, as JSON.
type Text struct {
	File string
	Raw  json.RawMessage
}

// ApplyFiles puts under what the host says what the user's own file says, and what
// those of the workspace do, the strongest first. It reports the problems of each
// file, those that are new.
func (s *Store) ApplyFiles(user, workspace []Text) []Problem {
	s.applying.Lock()
	defer s.applying.Unlock()
	if reflect.DeepEqual(s.files.user, user) && reflect.DeepEqual(s.files.workspace, workspace) {
		return nil
	}
	s.files.user, s.files.workspace = user, workspace
	return s.combine()
}

// layers returns what is said for the user, of the settings that has is true for,
// and what is for the workspace, the weakest first, with the problems of files.
func (s *Store) layers() (said protocol.Settings, has map[string]bool, workspace []Text, problems []Problem) {
	said, has = protocol.DefaultSettings(), map[string]bool{}
	for _, t := range slices.Backward(s.files.user) {
		var found []Problem
		said, found = decode(said, t.Raw, has)
		problems = append(problems, t.Place(found)...)
	}
	said = overlay(said, s.said, s.has)
	for name, is := range s.has {
		has[name] = has[name] || is
	}
	workspace = slices.Clone(s.files.workspace)
	slices.Reverse(workspace)
	return said, has, append(workspace, Text{Raw: s.workspace}), problems
}

// Place adds to problems, but for those that have a place, where they stand.
func (t Text) Place(problems []Problem) []Problem {
	for i := range problems {
		if p := &problems[i]; t.File != "" && p.File == "" {
			p.File, p.At = t.File, p.In(t.Raw)
		}
	}
	return problems
}

// Reload puts into force what the file, which has all that the host says, holds
// now. One that is not there or broken changes nothing.
func (t *Text) Reload(s *Store) []Problem {
	if t.File == "" {
		return nil
	}
	raw, err := os.ReadFile(t.File)
	if err != nil || bytes.Equal(raw, t.Raw) {
		return nil
	}
	t.Raw = raw
	_, failure := jsonc.Parse(raw)
	switch {
	case failure != nil:
	case !json.Valid(raw):
		failure = &jsonc.SyntaxError{Position: jsonc.Position{Line: 1, Column: 1}, Message: "the file has comments or commas that JSON does not allow"}
	default:
		return t.Place(s.Apply(raw, json.RawMessage("{}")))
	}
	return []Problem{{
		Message: failure.Message, Next: "Correct it; until then, what the file said before stays in force.", File: t.File, At: failure.Position,
	}}
}

// editors returns the file in which the editor keeps the workspace's settings, as
// it is now; nothing where it cannot be read.
func (s *Store) editors() Text {
	if s.workspaceFile == "" {
		return Text{}
	}
	raw, err := os.ReadFile(s.workspaceFile)
	if err != nil {
		return Text{}
	}
	return Text{File: s.workspaceFile, Raw: raw}
}

// combine puts into force what all have said, and returns the problems that are
// new.
func (s *Store) combine() []Problem {
	said, has, workspace, problems := s.layers()
	profile := said // which ends with the profile in force: that of the last who names one
	for _, t := range workspace {
		profile, _ = Decode(profile, t.Raw)
	}
	next := overlay(protocol.ProfileSettings(profile.Profile), said, has)
	for _, t := range workspace {
		over, found := Decode(next, t.Raw)
		var conflicts []Problem
		next, conflicts = combine(next, over, has)
		found = append(found, conflicts...)
		if t.File == "" && len(found) > 0 {
			t = s.editors()
		}
		problems = append(problems, t.Place(found)...)
	}
	told := map[Problem]bool{}
	for _, p := range problems {
		told[p] = true
	}
	problems = slices.DeleteFunc(problems, func(p Problem) bool { return s.told[p] })
	s.told = told
	if !next.Enabled {
		next.SearchTurns = 0
	}
	if !reflect.DeepEqual(&next, s.Load()) {
		s.now.Store(&next)
	}
	return problems
}
