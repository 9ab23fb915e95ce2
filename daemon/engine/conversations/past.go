package conversations

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/conversation"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// past are the conversations that the store has, as they were kept last.
type past struct {
	// mu guards what follows.
	mu    sync.Mutex
	known map[string]pastOne // by the name under which it is kept
	// closed are the tasks of which nothing is to be listed any more: they are
	// deleted in the background.
	closed map[string]bool
}

// close takes a task out of what is listed.
func (p *past) close(task string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed == nil {
		p.closed = map[string]bool{}
	}
	p.closed[task] = true
}

type pastOne struct {
	used time.Time
	id   string // the client's own
	// summary is that of a task; nil for one that cannot be listed.
	summary *protocol.TaskSummary
}

// Past returns the tasks of the conversations that are kept and whose task is not
// open, the one used last at the end: those that have an id of their client's own
// and, where the client's folder of chats is known, are there still.
func (c *Conversations) Past() []protocol.TaskSummary {
	var tasks []protocol.TaskSummary
	for _, p := range c.listed() {
		if !c.options.IsOpen(p.summary.Task) {
			tasks = append(tasks, c.asPast(p))
		}
	}
	return tasks
}

// Current returns the task of the chat that the client has open after a start, as
// its folder of chats tells: the chat whose file is the first that it writes. Until
// it has written one it is the conversation used last, which is a guess.
func (c *Conversations) Current() (protocol.TaskSummary, bool) {
	all := c.listed()
	if len(all) == 0 {
		return protocol.TaskSummary{}, false
	}
	last := all[len(all)-1]
	open := newest(c.chats())
	if open.at.Before(c.began) { // none was written since
		summary := c.asPast(last)
		summary.Guess = true
		return summary, true
	}
	for _, p := range slices.Backward(all) {
		if chatOf(p.id) == open.id {
			return c.asPast(p), true
		}
	}
	return protocol.TaskSummary{}, false
}

func (c *Conversations) asPast(p pastOne) protocol.TaskSummary {
	summary := *p.summary
	summary.Past, summary.At = true, p.used.UnixMilli()
	return summary
}

// Recall returns the task of a conversation that is kept, as it was, and changes
// nothing; false where there is none.
func (c *Conversations) Recall(task string) (router.Task, protocol.TaskFacts, bool) {
	name, found := c.nameOf(task)
	if !found {
		return router.Task{}, protocol.TaskFacts{}, false
	}
	e, t, err := read(c.options.Store.Load(name))
	if err != nil {
		return router.Task{}, protocol.TaskFacts{}, false
	}
	return *t, e.summary.TaskFacts, true
}

// ForgetPast deletes what is kept of a conversation whose task is not open; false
// where there is nothing.
func (c *Conversations) ForgetPast(task string) (bool, error) {
	name, found := c.nameOf(task)
	if !found {
		return false, nil
	}
	c.saver.writing.Lock()
	defer c.saver.writing.Unlock()
	return true, c.options.Store.Delete(name)
}

// nameOf returns the name under which the conversation of a task is kept.
func (c *Conversations) nameOf(task string) (string, bool) {
	for name, p := range c.kept() {
		if p.summary != nil && p.summary.Task == task {
			return name, true
		}
	}
	return "", false
}

// listed returns the conversations that can be listed, the one used last at the
// end.
func (c *Conversations) listed() []pastOne {
	chats := c.chats()
	var all []pastOne
	for _, p := range c.kept() {
		_, there := chats[chatOf(p.id)]
		if p.summary != nil && p.id != "" && (there || c.options.Chats == "") {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b pastOne) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.summary.Task, b.summary.Task))
	})
	return all
}

// kept returns what the store has, but for what was closed. A conversation is read
// when it is new there.
func (c *Conversations) kept() map[string]pastOne {
	if c.options.Store == nil {
		return nil
	}
	blobs, err := c.options.Store.List()
	if err != nil {
		c.options.Log.Info("the conversations of earlier sessions are not listed", "error", err)
		return nil
	}
	c.past.mu.Lock()
	defer c.past.mu.Unlock()
	known := make(map[string]pastOne, len(blobs))
	for _, blob := range blobs {
		p, ok := c.past.known[blob.Name]
		if !ok || !p.used.Equal(blob.Used) {
			p = pastOne{used: blob.Used}
			if data, err := c.options.Store.Load(blob.Name); err == nil && data != nil {
				if r, err := conversation.DecodeRecord(data); err == nil {
					p.id, p.summary = r.Known.ID, r.Summary
				}
			}
		}
		known[blob.Name] = p
	}
	c.past.known = known
	listed := maps.Clone(known)
	maps.DeleteFunc(listed, func(_ string, p pastOne) bool { return p.summary != nil && c.past.closed[p.summary.Task] })
	return listed
}

// chatOf returns the client's id of the chat that a conversation is in: agents
// that share a chat have something behind it.
func chatOf(id string) string {
	chat, _, _ := strings.Cut(id, "#")
	return chat
}

// chatFile is the file of a chat, of which at is when it was written last.
type chatFile struct {
	id string
	at time.Time
}

// newest returns the chat that was written last.
func newest(chats map[string]time.Time) chatFile {
	var n chatFile
	for id, at := range chats {
		if at.After(n.at) {
			n = chatFile{id, at}
		}
	}
	return n
}

// chats returns when each chat of the client's was written last, by its id; none
// where its folder is not known.
func (c *Conversations) chats() map[string]time.Time {
	if c.options.Chats == "" {
		return nil
	}
	entries, err := os.ReadDir(c.options.Chats)
	if err != nil {
		return nil // before the first chat there is no folder
	}
	chats := map[string]time.Time{}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			chats[strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name()))] = info.ModTime()
		}
	}
	return chats
}
