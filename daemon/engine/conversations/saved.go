package conversations

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/conversation"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// kept is a conversation read from the store; entry is nil if there is none.
type kept struct {
	entry *entry
	task  router.Task
	name  string // under which it is stored
	// clears is the count of clears when it was read.
	clears int
}

// load reads the conversation of a request that an earlier process stored. Callers must
// not hold mu.
func (c *Conversations) load(id string, h conversation.History) kept {
	if c.options.Store == nil {
		return kept{}
	}
	c.mu.Lock()
	clears := c.clears
	c.mu.Unlock()
	for _, name := range names(id, h) {
		data, err := c.options.Store.Load(name)
		if err == nil && data == nil {
			continue
		}
		e, task, err := read(data, err)
		if err != nil {
			c.options.Log.Info("a conversation of an earlier session begins as a new task", "error", err)
			return kept{}
		}
		return kept{entry: e, task: *task, name: name, clears: clears}
	}
	return kept{}
}

// take returns the conversation that was read, and its task if that is not open. It
// returns nil if there is none or the store was cleared meanwhile. Callers must hold mu.
func (c *Conversations) take(k *kept) (*entry, *router.Task) {
	if k.entry == nil || k.clears != c.clears {
		return nil, nil
	}
	c.saver.kept(k.entry.task, k.name)
	if c.options.IsOpen(k.entry.task) {
		return k.entry, nil
	}
	return k.entry, &k.task
}

func read(data []byte, err error) (*entry, *router.Task, error) {
	if err != nil {
		return nil, nil, err
	}
	r, err := conversation.DecodeRecord(data)
	if err != nil {
		return nil, nil, err
	}
	task, err := restore(r.State)
	if err != nil {
		return nil, nil, err
	}
	return &entry{
		task: task.ID, title: r.Title, known: r.Known, request: r.Request, internal: r.Internal, state: r.State, summary: r.Summary,
	}, &task, nil
}

// restore returns the task of a state, which may be nil.
func restore(state *protocol.TaskState) (router.Task, error) {
	if state == nil {
		return router.Task{}, errors.New("nothing is known of its task")
	}
	task, err := router.Restore(state)
	if err != nil {
		return router.Task{}, fmt.Errorf("restore its task: %w", err)
	}
	return task, nil
}

// names returns the names under which the conversation of a request may be stored, most
// likely first. Without an ID it is identified by its beginning, longest first.
func names(id string, h conversation.History) []string {
	if id != "" {
		return []string{name(conversation.Known{ID: id})}
	}
	all := make([]string, 0, h.Len())
	for n := h.Len(); n > 0; n-- {
		all = append(all, name(conversation.Known{End: h.End(n)}))
	}
	return all
}

// name returns the name under which a conversation is stored, a hash, because an ID may
// contain any character.
func name(k conversation.Known) string {
	key := "id " + k.ID
	if k.ID == "" {
		key = "end " + k.End
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// save schedules a write of a conversation. Callers must hold mu.
func (c *Conversations) save(e *entry) {
	if c.options.Store == nil || e.state == nil || e.unkept {
		return
	}
	c.saver.save(e.task, save{name: name(e.known), record: &conversation.Record{
		Title: e.title, Known: e.known, Request: e.request, Internal: e.internal, State: e.state, Summary: e.summary,
	}})
}

// saver writes conversations to the store in the background.
type saver struct {
	store Store
	log   *slog.Logger

	// writing is held while the store is written.
	writing sync.Mutex

	// mu guards the following fields.
	mu      sync.Mutex
	waiting map[string]save // by task; a later save replaces an earlier one
	running bool
	closed  bool
	names   map[string]string // by task, under which it is stored
	run     sync.WaitGroup
}

// save is a pending write of a conversation; without a record it is a deletion.
type save struct {
	name   string
	record *conversation.Record
}

func (s *saver) save(task string, w save) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.waiting[task] = w
	if !s.running {
		s.running = true
		s.run.Go(s.writeAll)
	}
}

// kept records the name under which a task is stored.
func (s *saver) kept(task, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[task] = name
}

// unfollow drops the name under which a task is stored. Pending writes still happen.
func (s *saver) unfollow(task string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, task)
}

// forget deletes what is stored of a task.
func (s *saver) forget(task string) {
	if s.store != nil {
		s.save(task, save{})
	}
}

// clear deletes all that is stored or about to be.
func (s *saver) clear() error {
	s.mu.Lock()
	clear(s.waiting)
	clear(s.names)
	s.mu.Unlock()
	if s.store == nil {
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.store.Clear()
}

// close waits until pending writes are done, or drops them when ctx ends.
func (s *saver) close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	written := make(chan struct{})
	go func() {
		s.run.Wait()
		close(written)
	}()
	select {
	case <-written:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	left := len(s.waiting)
	clear(s.waiting)
	s.mu.Unlock()
	return fmt.Errorf("%d conversations are not kept: the session ended before they were written", left)
}

// writeAll writes until nothing is pending.
func (s *saver) writeAll() {
	for {
		task, w, ok := s.next()
		if !ok {
			return
		}
		if err := s.write(task, w); err != nil {
			s.log.Warn("a conversation is not kept for a later session", "error", err)
		}
	}
}

func (s *saver) next() (task string, w save, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for task, w := range s.waiting {
		delete(s.waiting, task)
		return task, w, true
	}
	s.running = false
	return "", save{}, false
}

// write writes a conversation, and deletes it under its former name if that has changed.
// A conversation that is too long is deleted too, because an older state would be wrong.
func (s *saver) write(task string, w save) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	before := s.names[task]
	s.mu.Unlock()
	var data []byte
	if w.record != nil {
		var err error
		if data, err = w.record.Encode(); err != nil {
			return err
		}
	}
	if data == nil {
		w.name = ""
	} else if err := s.store.Save(w.name, data); err != nil {
		return err
	}
	s.mu.Lock()
	if w.name == "" {
		delete(s.names, task)
	} else {
		s.names[task] = w.name
	}
	s.mu.Unlock()
	if before == "" || before == w.name {
		return nil
	}
	return s.store.Delete(before)
}
