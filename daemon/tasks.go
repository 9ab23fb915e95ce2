package daemon

import (
	"cmp"
	"crypto/rand"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// maxTasks bounds the open tasks. The one used longest ago is closed for a
// new one; its host can resume it by the state of its last attachment.
const maxTasks = 512

// taskStore holds the open tasks.
type taskStore struct {
	// mu guards what follows.
	mu   sync.Mutex
	byID map[string]*taskEntry
	tick int64 // rises with each use
}

// taskEntry is an open task. Who changes it holds its lane, so that requests
// take effect in the order in which they came.
type taskEntry struct {
	lane lane
	id   string
	used int64 // guarded by taskStore.mu

	// mu guards what follows. It is held for an assignment only.
	mu   sync.Mutex
	task router.Task
	// shadow is what routing would have made of the task, while the user only
	// watches.
	shadow *router.Task
	// missed are the tools that were called while the shadow did not have them.
	missed []router.ToolID
	// warnings are what the host was told to warn the user of with the latest
	// turn. Some are no part of the task, such as a claim that failed.
	warnings []string
	// mode is the policy of the latest turn.
	mode *router.Mode
}

func newTaskStore() *taskStore {
	return &taskStore{byID: map[string]*taskEntry{}}
}

// newTaskID returns an id that no other process has given out either.
func newTaskID() string { return "task-" + rand.Text()[:16] }

// add makes a task known.
func (s *taskStore) add(id string) *taskEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &taskEntry{id: id}
	s.byID[id] = e
	s.touch(e)
	if len(s.byID) > maxTasks {
		delete(s.byID, s.oldest().id)
	}
	return e
}

// touch notes a use. The caller holds mu.
func (s *taskStore) touch(e *taskEntry) {
	s.tick++
	e.used = s.tick
}

func (s *taskStore) oldest() *taskEntry {
	var oldest *taskEntry
	for _, e := range s.byID {
		if oldest == nil || e.used < oldest.used {
			oldest = e
		}
	}
	return oldest
}

// get returns an open task, and counts as a use of it.
func (s *taskStore) get(id string) (*taskEntry, error) {
	e, err := s.look(id)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.touch(e)
	}
	return e, err
}

// look returns an open task and is no use of it: who only looks at tasks must
// not change their order.
func (s *taskStore) look(id string) (*taskEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byID[id]
	if !ok {
		return nil, fail(protocol.KindUnknownTask,
			"Open one by task/open, or resume it by task/resume with the state of its last attachment.",
			"there is no open task %q", id)
	}
	return e, nil
}

// remove closes a task, and reports whether it was open.
func (s *taskStore) remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.byID[id]
	delete(s.byID, id)
	return ok
}

// list returns the open tasks in the order in which they were last used.
func (s *taskStore) list() []*taskEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries := make([]*taskEntry, 0, len(s.byID))
	for _, e := range s.byID {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b *taskEntry) int { return cmp.Compare(a.used, b.used) })
	return entries
}

// snapshot returns what the entry holds.
func (e *taskEntry) snapshot() (task router.Task, shadow *router.Task, mode *router.Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.task, e.shadow, e.mode
}

// warn notes what the host is told to warn the user of.
func (e *taskEntry) warn(a *protocol.Attachment) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.warnings = a.Warnings
}

func (e *taskEntry) store(task router.Task, shadow *router.Task, mode *router.Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.task, e.shadow, e.mode = task, shadow, mode
	if shadow == nil {
		e.missed = nil
	}
}
