// Package settings holds the settings in force and reads what a host sends of them.
// Package protocol declares the settings. This package does not interpret them.
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

// Store holds the settings in force, initially the defaults. It is safe for concurrent
// use.
type Store struct {
	applying sync.Mutex
	// applying guards the following fields. said holds the host's settings of the user,
	// valid for those in has; workspace holds those of the workspace.
	said      protocol.Settings
	has       map[string]bool
	workspace json.RawMessage
	// workspaceFile is the editor's file with the workspace settings, if known.
	workspaceFile string
	// files holds the settings in Winnow's files, strongest first.
	files struct{ user, workspace []Text }
	// told holds the reported problems of files, of the workspace, and between it and the
	// user.
	told map[Problem]bool
	now  atomic.Pointer[protocol.Settings]
}

// NewStore returns a store with the defaults.
func NewStore() *Store {
	s := &Store{said: protocol.DefaultSettings(), has: map[string]bool{}, told: map[Problem]bool{}}
	defaults := s.said
	s.now.Store(&defaults)
	return s
}

// Load returns the settings in force, which are immutable. Changed settings have another
// address.
func (s *Store) Load() *protocol.Settings { return s.now.Load() }

// Apply applies the user's settings in raw, as [Decode] reads them, and the workspace's
// over them. A nil workspace leaves those as they were; otherwise raw is all of the
// user's. Equal settings keep their address. A conflict between the two is reported once.
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

// SetWorkspaceFile sets the file in which the editor keeps the workspace settings.
func (s *Store) SetWorkspaceFile(file string) {
	s.applying.Lock()
	defer s.applying.Unlock()
	s.workspaceFile = file
}

// Text is the settings in one file, as JSON.
type Text struct {
	File string
	Raw  json.RawMessage
}

// ApplyFiles applies the settings in the user's own file and in the workspace's files,
// strongest first, below the host's. It returns the new problems of each file.
func (s *Store) ApplyFiles(user, workspace []Text) []Problem {
	s.applying.Lock()
	defer s.applying.Unlock()
	if reflect.DeepEqual(s.files.user, user) && reflect.DeepEqual(s.files.workspace, workspace) {
		return nil
	}
	s.files.user, s.files.workspace = user, workspace
	return s.combine()
}

// layers returns the user's settings, valid for those in has, and the workspace's,
// weakest first, with the problems of files.
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

// Place sets the place of those problems that have none.
func (t Text) Place(problems []Problem) []Problem {
	for i := range problems {
		if p := &problems[i]; t.File != "" && p.File == "" {
			p.File, p.At = t.File, p.In(t.Raw)
		}
	}
	return problems
}

// Reload applies the current content of the file, which has all of the host's settings. A
// missing or broken file changes nothing.
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

// editors returns the editor's current file of workspace settings, or an empty Text if it
// cannot be read.
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

// combine applies the settings of all sources, and returns the new problems.
func (s *Store) combine() []Problem {
	said, has, workspace, problems := s.layers()
	profile := said // ends with the profile in force: that of the last source that sets one
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
