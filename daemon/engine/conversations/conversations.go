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

// MaxOpen is how many conversations are followed at a time. The one used
// longest ago gives way: it is taken up from the store when it goes on.
const MaxOpen = 128

// ErrStale is returned for an answer to a request that is no longer the latest of
// its conversation.
var ErrStale = errors.New("the conversation has gone on since that request")

// Options configure [New].
type Options struct {
	// Store keeps conversations for a later process; nil keeps none.
	Store Store
	// Log receives what cannot be read or written; nil discards. No word of a
	// conversation is logged.
	Log *slog.Logger
	// NewTask opens a new task and returns its name. It is called by
	// [Conversations.Place], and must not call back.
	NewTask func() string
	// IsOpen reports whether a task is open. One that was closed for want of
	// room is restored when its conversation goes on.
	IsOpen func(task string) bool
	// Chats is the folder in which the client keeps its chats, a file each, named by
	// its id; empty where that is not known.
	Chats string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Conversations are those of one process. It is safe for concurrent use.
type Conversations struct {
	options Options
	saver   saver
	past    past
	began   time.Time // the process

	// mu guards what follows, and the entries.
	mu     sync.Mutex
	byTask map[string]*entry
	tick   int64 // rises with each use
	clears int   // rises with each [Conversations.Clear]
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
	// left are earlier ends of the conversation, from which a client that goes
	// back to one of them goes on; the latest at the end.
	left []branch
	// answered is run with the first answer to the latest request; nil afterwards.
	answered func()
	// state is what restores the task; nil before the first [Conversations.Keep].
	state *protocol.TaskState
	// summary describes the task for a later session.
	summary *protocol.TaskSummary
	// unkept: it is not kept for a later session, because the user had all
	// forgotten that was kept, or what is kept under its id is another one.
	unkept bool
}

// branch is an end of a conversation that its client has left: it has edited the
// history, or had the model answer again.
type branch struct {
	known    conversation.Known
	internal []conversation.Internal
	state    *protocol.TaskState
}

// maxLeft is how many ends of one conversation are remembered.
const maxLeft = 8

// leave remembers the end of a conversation whose client goes on otherwise.
func (e *entry) leave() {
	if e.state != nil {
		e.left = append(e.left, branch{e.known, e.internal, e.state})
		e.left = e.left[max(0, len(e.left)-maxLeft):]
	}
}

// New returns a process's conversations, none of which is open yet.
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

// Close returns when all is kept that has to be, or when ctx ends. Nothing is
// kept afterwards.
func (c *Conversations) Close(ctx context.Context) error { return c.saver.close(ctx) }

// Request is a request as its client sends it.
type Request struct {
	// ID is the client's own of the conversation; empty when it has none.
	ID string
	// Messages are all of the request's, by their digests.
	Messages []protocol.MessageDigest
	// Message is the user's words of the newest message.
	Message string
	// Source is the list of tools that the client sends with each request, where
	// its conversations are distinguished by what they begin with. One that begins
	// with a summary then goes on from the one used last with that list. It is
	// empty for other clients.
	Source string
}

// Placed is what is known of a request. The client's next steps name Task and
// Request.
type Placed struct {
	Task    string
	Request int64
	Title   string
	// NewTurn, Compacted and Edited are those of [conversation.Placement].
	NewTurn, Compacted, Edited bool
	// Messages are those of the whole request.
	Messages []protocol.MessageDigest
	// Called names the tools that the new messages have called.
	Called []string
	// Internal is what the client's history lacks.
	Internal []protocol.InternalRounds
	// Idle is the time since the conversation's request before this one; without
	// end for the first that this process has seen.
	Idle time.Duration
	// Saved is the task of an earlier process, which has to be opened before it
	// goes on; nil where the task is open, or new.
	Saved *router.Task
}

// Place finds the conversation that a request continues, or begins a new one,
// and notes the request as its latest.
func (c *Conversations) Place(r Request) Placed {
	h := conversation.NewHistory(r.Messages)
	if at, ok := c.place(r, h, nil); ok {
		return at
	}
	// The store is read while the others go on, and one of them may turn out to be
	// the same conversation.
	k := c.load(r.ID, h)
	at, _ := c.place(r, h, &k)
	return at
}

// place places a request, where k is what was kept of its conversation; nil where
// that has not been read. ok is false where it has to be.
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

// found is the conversation of a request; saved is its task where that is not open.
type found struct {
	entry *entry
	at    conversation.Placement
	saved *router.Task
}

// find returns the conversation of a request: one that is followed, the one that
// was kept, or a new one. k and ok are as for [Conversations.place]. The caller
// holds mu.
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

// summarized returns the conversation whose summary a new history holds; nil where
// it holds none, or it is unknown of which. The caller holds mu.
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

// end is where a conversation ends: its latest request, or a branch that its
// client has left.
type end struct {
	entry  *entry
	branch *branch
}

// goOn returns the conversation that goes on from an end. From a branch that was
// left it is one of its own: the other does not change. The caller holds mu.
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

// begin returns a new conversation; shared if another one is kept under its id.
func (c *Conversations) begin(r Request, shared bool) found {
	return found{
		entry: &entry{task: c.options.NewTask(), title: conversation.Title(r.Message), unkept: shared},
		at:    conversation.Placement{NewTurn: true},
	}
}

// byUse returns the conversations, the one used last at the end.
func (c *Conversations) byUse() []*entry {
	return slices.SortedFunc(maps.Values(c.byTask), func(a, b *entry) int { return cmp.Compare(a.used, b.used) })
}

// use notes that a conversation is used. The one used longest ago gives way.
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

// Adopt follows a task that its client has restored itself, from the messages
// of its latest request, or from what was kept of it. What was known of the task
// before does not count: the client may have gone back.
func (c *Conversations) Adopt(task, id string, messages []protocol.MessageDigest) {
	c.adopt(task, id, messages, false)
}

// AdoptOpen is Adopt for a task that is open where its client has it: a
// conversation whose requests have led to it goes on as it is.
func (c *Conversations) AdoptOpen(task, id string, messages []protocol.MessageDigest) {
	c.adopt(task, id, messages, true)
}

func (c *Conversations) adopt(task, id string, messages []protocol.MessageDigest, open bool) {
	if id == "" && len(messages) == 0 {
		return // no client of stateless requests
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

// WhenAnswered has f run with the first answer to a request, and not where the
// request fails, or its client sends another one first.
func (c *Conversations) WhenAnswered(task string, request int64, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byTask[task]; e != nil && e.request == request {
		e.answered = f
	}
}

// Answered notes that a request is being answered; [Conversations.Answer] does so
// too.
func (c *Conversations) Answered(task string, request int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byTask[task]; e != nil && e.request == request {
		e.begins()
	}
}

// begins runs what waits for an answer. The caller holds mu.
func (e *entry) begins() {
	if e.answered != nil {
		e.answered()
		e.answered = nil
	}
}

// Answer takes what a model answered to a request, and says what comes next.
// The error is [ErrStale] when the client has sent a later request since.
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

// Keep notes the state of a conversation's task and what describes it, which are
// then kept with the rest of the conversation. A task without a conversation has
// nothing to keep.
func (c *Conversations) Keep(task string, state *protocol.TaskState, summary *protocol.TaskSummary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byTask[task]; e != nil {
		e.state, e.summary = state, summary
		c.save(e)
	}
}

// Forget ends a conversation whose task is closed, and deletes what is kept of
// it.
func (c *Conversations) Forget(task string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byTask[task] != nil {
		delete(c.byTask, task)
		c.past.close(task)
		c.saver.forget(task)
	}
}

// Clear deletes all that is kept. The conversations go on, and are not kept
// again.
func (c *Conversations) Clear() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clears++
	for _, e := range c.byTask {
		e.unkept = true
	}
	return c.saver.clear()
}
