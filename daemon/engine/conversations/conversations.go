package conversations

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/conversation"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// MaxOpen is how many conversations are followed at a time. The least recently used one
// is dropped, and reloaded from the store when it continues.
const MaxOpen = 128

// ErrStale is returned for an answer to a request that is not the latest of its
// conversation.
var ErrStale = errors.New("the conversation has gone on since that request")

// Options configure [New].
type Options struct {
	// Store stores conversations for a later process; if nil, none are stored.
	Store Store
	// Log receives read and write errors; nil discards them. It never contains words of a
	// conversation.
	Log *slog.Logger
	// NewTask opens a new task and returns its name. [Conversations.Place] calls it; it
	// must not call back.
	NewTask func() string
	// IsOpen reports whether a task is open. A task closed for lack of room is restored
	// when its conversation continues.
	IsOpen func(task string) bool
	// Chats is the folder in which the client keeps its chats, one file each, named by
	// ID; empty if it is not known.
	Chats string
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Conversations holds the conversations of one process. It is safe for concurrent use.
type Conversations struct {
	options Options
	saver   saver
	past    past
	began   time.Time // the process

	// mu guards the following fields and the entries.
	mu     sync.Mutex
	byTask map[string]*entry
	tick   int64 // increases with each use
	clears int   // increases with each [Conversations.Clear]
}

// entry is one conversation.
type entry struct {
	task     string
	used     int64
	at       time.Time // of the latest request
	source   string    // of the latest request, see [Request.Source]
	title    string
	known    conversation.Known
	history  conversation.History
	request  int64
	exchange conversation.Exchange
	internal []conversation.Internal
	// left holds earlier ends of the conversation, latest last. A client that goes back
	// continues from one of them.
	left []branch
	// answered runs with the first answer to the latest request; nil afterwards.
	answered func()
	// state restores the task; nil before the first [Conversations.Keep].
	state *protocol.TaskState
	// summary describes the task for a later session.
	summary *protocol.TaskSummary
	// unkept reports that the conversation is not stored, because the user has cleared
	// the store or another one is stored under its ID.
	unkept bool
}

// branch is an end of a conversation that its client left by editing the history or
// requesting another answer.
type branch struct {
	known    conversation.Known
	internal []conversation.Internal
	state    *protocol.TaskState
}

// maxLeft is how many left ends of one conversation are kept.
const maxLeft = 8

// leave keeps the end of a conversation whose client continues differently.
func (e *entry) leave() {
	if e.state != nil {
		e.left = append(e.left, branch{e.known, e.internal, e.state})
		e.left = e.left[max(0, len(e.left)-maxLeft):]
	}
}

// New returns the conversations of a process, with none open.
func New(o Options) *Conversations {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Conversations{
		options: o, byTask: map[string]*entry{}, began: o.Now(),
		saver: saver{store: o.Store, log: o.Log, waiting: map[string]save{}, names: map[string]string{}},
	}
}

// Close waits until all pending writes are done, or ctx ends. Nothing is stored
// afterwards.
func (c *Conversations) Close(ctx context.Context) error { return c.saver.close(ctx) }

// Request is a request of a client.
type Request struct {
	// ID is the client's ID of the conversation; empty if there is none.
	ID string
	// Messages holds all messages of the request, by their digests.
	Messages []protocol.MessageDigest
	// Message holds the user's words of the newest message.
	Message string
	// Source identifies the list of tools that the client sends with each request, if its
	// conversations are distinguished by their beginnings. A conversation that begins
	// with a summary then continues the one last used with that list. It is empty for
	// other clients.
	Source string
}

// Placed describes a placed request. The client's next steps refer to Task and Request.
type Placed struct {
	Task    string
	Request int64
	Title   string
	// NewTurn, Compacted and Edited are as in [conversation.Placement].
	NewTurn, Compacted, Edited bool
	// Messages holds those of the whole request.
	Messages []protocol.MessageDigest
	// Called names the tools that the new messages have called.
	Called []string
	// Internal is what the client's history lacks.
	Internal []protocol.InternalRounds
	// Idle is the time since the conversation's previous request; infinite for the first
	// one in this process.
	Idle time.Duration
	// Saved is the task of an earlier process, which has to be opened first; nil if the
	// task is open or new.
	Saved *router.Task
}

// Place finds the conversation that a request continues, or begins a new one, and records
// the request as its latest.
func (c *Conversations) Place(r Request) Placed {
	h := conversation.NewHistory(r.Messages)
	if at, ok := c.place(r, h, nil); ok {
		return at
	}
	// The store is read without the lock, so meanwhile another request may have opened
	// the same conversation.
	k := c.load(r.ID, h)
	at, _ := c.place(r, h, &k)
	return at
}

// place places a request. k is the stored conversation, or nil if it has not been read.
// ok is false if it has to be read first.
func (c *Conversations) place(r Request, h conversation.History, k *kept) (at Placed, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.find(r, h, k)
	if !ok {
		return Placed{}, false
	}
	e := f.entry
	called := h.Called(h.Shared(&e.history))
	c.use(e)
	idle, now := time.Duration(math.MaxInt64), c.options.Now()
	if !e.at.IsZero() {
		idle = now.Sub(e.at)
	}
	e.at, e.source, e.answered = now, r.Source, nil
	e.request++
	if f.at.Edited || f.at.Compacted {
		e.leave()
	}
	e.history, e.known, e.exchange = h, h.Known(r.ID), conversation.NewExchange(h)
	return Placed{
		Task: e.task, Request: e.request, Title: e.title, NewTurn: f.at.NewTurn, Compacted: f.at.Compacted, Edited: f.at.Edited,
		Idle: idle, Messages: h.Messages(), Called: called, Saved: f.saved,
		Internal: conversation.Restore(e.internal, h),
	}, true
}

// found is the conversation of a request; saved is its task if that is not open.
type found struct {
	entry *entry
	at    conversation.Placement
	saved *router.Task
}

// find returns the conversation of a request: one in memory, the stored one, or a new
// one. k and ok are as for [Conversations.place]. Callers must hold mu.
func (c *Conversations) find(r Request, h conversation.History, k *kept) (f found, ok bool) {
	var ends []end
	var known []conversation.Known
	for _, e := range c.byUse() {
		for i := range e.left {
			ends, known = append(ends, end{e, &e.left[i]}), append(known, e.left[i].known)
		}
		ends, known = append(ends, end{entry: e}), append(known, e.known)
	}
	if at := conversation.Place(known, r.ID, h); at.Conversation >= 0 {
		return c.goOn(r, ends[at.Conversation], at), true
	}
	if before := c.summarized(r, h); before != nil {
		b := branch{state: before.state}
		f := c.goOn(r, end{before, &b}, conversation.Placement{Compacted: true, NewTurn: true})
		f.entry.at = before.at
		return f, true
	}
	if r.ID != "" && slices.ContainsFunc(known, func(k conversation.Known) bool { return k.ID == r.ID }) {
		return c.begin(r, true), true
	}
	if k == nil {
		return found{}, false
	}
	e, task := c.take(k)
	if e == nil {
		return c.begin(r, false), true
	}
	if at := conversation.Place([]conversation.Known{e.known}, r.ID, h); at.Conversation >= 0 {
		return found{e, at, task}, true
	}
	return c.begin(r, true), true
}

// summarized returns the conversation whose summary a new history contains, or nil if
// there is no summary or its origin is unknown. Callers must hold mu.
func (c *Conversations) summarized(r Request, h conversation.History) *entry {
	if r.Source == "" || !slices.ContainsFunc(h.Messages(), func(m protocol.MessageDigest) bool { return m.Summary }) {
		return nil
	}
	for _, e := range slices.Backward(c.byUse()) {
		if e.source == r.Source && e.state != nil {
			return e
		}
	}
	return nil
}

// end is an end of a conversation: its latest request, or a branch that its client left.
type end struct {
	entry  *entry
	branch *branch
}

// goOn returns the conversation that continues from an end. From a left branch it is a
// new conversation; the other does not change. Callers must hold mu.
func (c *Conversations) goOn(r Request, from end, at conversation.Placement) found {
	e := from.entry
	if from.branch == nil && c.options.IsOpen(e.task) {
		return found{e, at, nil}
	}
	state := e.state
	if from.branch != nil {
		state = from.branch.state
	}
	task, err := restore(state)
	switch {
	case err != nil && from.branch == nil:
		delete(c.byTask, e.task)
		return c.begin(r, false)
	case err != nil:
		return c.begin(r, e.unkept || r.ID != "")
	case from.branch == nil:
		return found{e, at, &task}
	}
	task.ID = c.options.NewTask()
	next := &entry{
		task: task.ID, title: e.title, request: e.request, internal: from.branch.internal,
		known: from.branch.known, state: from.branch.state, unkept: e.unkept || r.ID != "",
	}
	e.left = slices.DeleteFunc(e.left, func(b branch) bool { return b.known.End == next.known.End })
	return found{next, at, &task}
}

// begin returns a new conversation. If shared, another is stored under its ID.
func (c *Conversations) begin(r Request, shared bool) found {
	return found{
		entry: &entry{task: c.options.NewTask(), title: conversation.Title(r.Message), unkept: shared},
		at:    conversation.Placement{NewTurn: true},
	}
}

// byUse returns the conversations, last used last.
func (c *Conversations) byUse() []*entry {
	return slices.SortedFunc(maps.Values(c.byTask), func(a, b *entry) int { return cmp.Compare(a.used, b.used) })
}

// use marks a conversation as used, and drops the least recently used one if needed.
func (c *Conversations) use(e *entry) {
	c.tick++
	e.used = c.tick
	c.byTask[e.task] = e
	if len(c.byTask) > MaxOpen {
		oldest := c.byUse()[0].task
		delete(c.byTask, oldest)
		c.saver.unfollow(oldest)
	}
}

// Adopt follows a task that its client has restored itself, from the messages of its
// latest request or from the store. It overrides what was known of the task, because the
// client may have gone back.
func (c *Conversations) Adopt(task, id string, messages []protocol.MessageDigest) {
	c.adopt(task, id, messages, false)
}

// AdoptOpen is Adopt for a task that its client has open. A conversation whose requests
// have led to it continues unchanged.
func (c *Conversations) AdoptOpen(task, id string, messages []protocol.MessageDigest) {
	c.adopt(task, id, messages, true)
}

func (c *Conversations) adopt(task, id string, messages []protocol.MessageDigest, open bool) {
	if id == "" && len(messages) == 0 {
		return // the client sends no stateless requests
	}
	h := conversation.NewHistory(messages)
	k := c.load(id, h)
	c.mu.Lock()
	defer c.mu.Unlock()
	if open && c.byTask[task] != nil {
		return
	}
	if e, _ := c.take(&k); e != nil && e.task == task {
		c.use(e)
		return
	}
	c.use(&entry{task: task, history: h, known: h.Known(id)})
}

// WhenAnswered registers f to run with the first answer to a request. f does not run if
// the request fails or its client sends another one first.
func (c *Conversations) WhenAnswered(task string, request int64, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byTask[task]; e != nil && e.request == request {
		e.answered = f
	}
}

// Answered records that a request is being answered, as does [Conversations.Answer].
func (c *Conversations) Answered(task string, request int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byTask[task]; e != nil && e.request == request {
		e.begins()
	}
}

// begins runs the registered function. Callers must hold mu.
func (e *entry) begins() {
	if e.answered != nil {
		e.answered()
		e.answered = nil
	}
}

// Answer records a model's answer to a request and returns what comes next. It returns
// [ErrStale] if the client has sent a later request.
func (c *Conversations) Answer(task string, request int64, a conversation.Answer) (protocol.ConversationNext, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byTask[task]
	if e == nil || e.request != request {
		return "", ErrStale
	}
	e.begins()
	exchange, next, internal := e.exchange.Next(a)
	e.exchange = exchange
	e.internal = conversation.Remember(e.internal, internal)
	if next == protocol.NextEnd || next == protocol.NextStop {
		c.save(e)
	}
	return next, nil
}

// Keep sets the state and the summary of a conversation's task, which are stored with the
// rest of the conversation. A task without a conversation is ignored.
func (c *Conversations) Keep(task string, state *protocol.TaskState, summary *protocol.TaskSummary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byTask[task]; e != nil {
		e.state, e.summary = state, summary
		c.save(e)
	}
}

// Forget ends a conversation whose task is closed, and deletes what is stored of it.
func (c *Conversations) Forget(task string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byTask[task] != nil {
		delete(c.byTask, task)
		c.past.close(task)
		c.saver.forget(task)
	}
}

// Clear deletes all stored conversations. Open ones continue and are not stored again.
func (c *Conversations) Clear() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clears++
	for _, e := range c.byTask {
		e.unkept = true
	}
	return c.saver.clear()
}
