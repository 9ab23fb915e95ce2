package tasks

import (
	"cmp"
	"crypto/rand"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// maxTasks bounds the open tasks. The one used longest ago is closed for a
// new one; its host can resume it by the state of its last attachment.
const maxTasks = 512

// Views returns what a request sees of a source under a mode.
type Views func(source string, mode *router.Mode) (*router.View, error)

// Store holds the open tasks.
type Store struct {
	views Views

	// mu guards what follows.
	mu   sync.Mutex
	byID map[string]*Entry
	tick int64 // rises with each use
}

// NewStore returns a store without tasks.
func NewStore(views Views) *Store {
	return &Store{views: views, byID: map[string]*Entry{}}
}

// NewID returns an id that no other process has given out either.
func NewID() string { return "task-" + rand.Text()[:16] }

// Add makes a task known.
func (s *Store) Add(id string) *Entry { return s.add(&Entry{ID: id}) }

// AddShared makes a task known that many clients have at once.
func (s *Store) AddShared(id string) *Entry { return s.add(&Entry{ID: id, Shared: true}) }

func (s *Store) add(e *Entry) *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[e.ID] = e
	s.touch(e)
	if len(s.byID) > maxTasks {
		delete(s.byID, s.oldest().ID)
	}
	return e
}

// touch notes a use. The caller holds mu.
func (s *Store) touch(e *Entry) {
	s.tick++
	e.used = s.tick
}

func (s *Store) oldest() *Entry {
	var oldest *Entry
	for _, e := range s.byID {
		if oldest == nil || e.used < oldest.used {
			oldest = e
		}
	}
	return oldest
}

// Get returns an open task, and counts as a use of it.
func (s *Store) Get(id string) (*Entry, error) {
	e, err := s.Look(id)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.touch(e)
	}
	return e, err
}

// Look returns an open task and is no use of it: who only looks at tasks must
// not change their order.
func (s *Store) Look(id string) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byID[id]
	if !ok {
		return nil, failure.New(protocol.KindUnknownTask,
			"Open one, or resume it with the state of its last attachment.",
			"there is no open task %q", id)
	}
	return e, nil
}

// Remove closes a task, and reports whether it was open.
func (s *Store) Remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.byID[id]
	delete(s.byID, id)
	return ok
}

// List returns the open tasks in the order in which they were last used.
func (s *Store) List() []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries := make([]*Entry, 0, len(s.byID))
	for _, e := range s.byID {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b *Entry) int { return cmp.Compare(a.used, b.used) })
	return entries
}

// Allowed lists the tools that the user has allowed in open tasks.
func (s *Store) Allowed() []protocol.Approval {
	var all []protocol.Approval
	for _, e := range s.List() {
		e.mu.Lock()
		for id, was := range e.allowed {
			all = append(all, protocol.Approval{Server: id.Server, Tool: id.Tool, Task: e.ID, Since: was.at})
		}
		e.mu.Unlock()
	}
	return all
}
