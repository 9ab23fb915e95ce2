package tasks

import (
	"cmp"
	"crypto/rand"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// maxTasks bounds the open tasks. A new one closes the least recently used one, which its
// host can resume by the state of its last attachment.
const maxTasks = 512

// Views returns the view of a source under a mode.
type Views func(source string, mode *router.Mode) (*router.View, error)

// Store holds the open tasks.
type Store struct {
	views Views

	// mu guards the following fields.
	mu   sync.Mutex
	byID map[key]*Entry
	tick int64 // increases with each use
}

// key identifies a task: IDs are specific to a principal.
type key struct {
	owner principal.Principal
	id    string
}

func (e *Entry) key() key { return key{e.Principal, e.ID} }

// NewStore returns a store without tasks.
func NewStore(views Views) *Store {
	return &Store{views: views, byID: map[key]*Entry{}}
}

// NewID returns a globally unique ID.
func NewID() string { return "task-" + rand.Text()[:16] }

// Add adds a task of one client. Beyond maxTasks, the least recently used one is removed.
func (s *Store) Add(owner principal.Principal, id string) *Entry {
	return s.add(&Entry{Principal: owner, ID: id})
}

// AddShared adds a task that many clients of one principal and class share.
func (s *Store) AddShared(owner principal.Principal, class, id string) *Entry {
	return s.add(&Entry{Principal: owner, Class: class, ID: id, Shared: true})
}

func (s *Store) add(e *Entry) *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[e.key()] = e
	s.touch(e)
	if len(s.byID) > maxTasks {
		delete(s.byID, s.oldest().key())
	}
	return e
}

// touch marks an entry as used. Callers must hold mu.
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

// Get returns an open task of a principal, and marks it as used.
func (s *Store) Get(owner principal.Principal, id string) (*Entry, error) {
	e, err := s.Look(owner, id)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.touch(e)
	}
	return e, err
}

// Look returns an open task without marking it as used, because displaying tasks must not
// change their order.
func (s *Store) Look(owner principal.Principal, id string) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byID[key{owner, id}]
	if !ok {
		return nil, failure.New(protocol.KindUnknownTask,
			"Open one, or resume it with the state of its last attachment.",
			"there is no open task %q", id)
	}
	return e, nil
}

// Remove closes a task, and reports whether it was open.
func (s *Store) Remove(owner principal.Principal, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.byID[key{owner, id}]
	delete(s.byID, key{owner, id})
	return ok
}

// List returns the open tasks, least recently used first.
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

// Allowed lists the tools that the local user has allowed in open tasks.
func (s *Store) Allowed() []protocol.Approval {
	var all []protocol.Approval
	for _, e := range s.List() {
		if e.Principal != principal.Local {
			continue
		}
		e.mu.Lock()
		for id, was := range e.allowed {
			all = append(all, protocol.Approval{Server: id.Server, Tool: id.Tool, Task: e.ID, Since: was.at})
		}
		e.mu.Unlock()
	}
	return all
}

// Owned is the tasks of one principal.
type Owned struct {
	store *Store
	owner principal.Principal
}

// Of returns the tasks of a principal.
func (s *Store) Of(owner principal.Principal) Owned { return Owned{s, owner} }

// Get is [Store.Get] for the principal.
func (o Owned) Get(id string) (*Entry, error) { return o.store.Get(o.owner, id) }

// Look is [Store.Look] for the principal.
func (o Owned) Look(id string) (*Entry, error) { return o.store.Look(o.owner, id) }
