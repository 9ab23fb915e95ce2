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

// past caches the conversations in the store.
type past struct {
	// mu guards the following fields.
	mu    sync.Mutex
	known map[string]pastOne // by the name under which it is stored
	// closed holds tasks that are no longer listed, because they are being deleted in the
	// background.
	closed map[string]bool
}

// close removes a task from the list.
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
	id   string // the client's ID
	// summary describes its task; nil if it cannot be listed.
	summary *protocol.TaskSummary
}

// Past returns the tasks of stored conversations that are not open, last used last. It
// lists those with a client's ID and, if the client's folder of chats is known, whose
// chat still exists there.
func (c *Conversations) Past() []protocol.TaskSummary {
	var tasks []protocol.TaskSummary
	for _, p := range c.listed() {
		if !c.options.IsOpen(p.summary.Task) {
			tasks = append(tasks, c.asPast(p))
		}
	}
	return tasks
}

// Current returns the task of the chat that the client has open after a start: the chat
// that it writes first to its folder. Until then it is the conversation used last, which
// is a guess.
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

// Recall returns the task of a stored conversation and changes nothing. It returns false
// if there is none.
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

// ForgetPast deletes what is stored of a conversation whose task is not open. It returns
// false if nothing is.
func (c *Conversations) ForgetPast(task string) (bool, error) {
	name, found := c.nameOf(task)
	if !found {
		return false, nil
	}
	c.saver.writing.Lock()
	defer c.saver.writing.Unlock()
	return true, c.options.Store.Delete(name)
}

// nameOf returns the name under which the conversation of a task is stored.
func (c *Conversations) nameOf(task string) (string, bool) {
	for name, p := range c.kept() {
		if p.summary != nil && p.summary.Task == task {
			return name, true
		}
	}
	return "", false
}

// listed returns the conversations that can be listed, last used last.
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

// kept returns the store's conversations, without closed ones. It reads only those that
// are new there.
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

// chatOf returns the client's ID of the chat of a conversation. Agents that share a chat
// have a suffix.
func chatOf(id string) string {
	chat, _, _ := strings.Cut(id, "#")
	return chat
}

// chatFile is the file of a chat; at is when it was last written.
type chatFile struct {
	id string
	at time.Time
}

// newest returns the chat written last.
func newest(chats map[string]time.Time) chatFile {
	var n chatFile
	for id, at := range chats {
		if at.After(n.at) {
			n = chatFile{id, at}
		}
	}
	return n
}

// chats returns when each of the client's chats was last written, by ID, or nil if its
// folder is not known.
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
