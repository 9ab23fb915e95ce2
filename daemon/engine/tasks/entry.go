package tasks

import (
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// Entry is an open task. Who changes it does so [InOrder], so that requests
// take effect in the order in which they came.
type Entry struct {
	// Principal is whose task it is, ID what it is called among theirs.
	Principal principal.Principal
	ID        string
	// Class is that of the principal, where classes are distinguished. It is not
	// changed.
	Class string
	// Shared: many clients have the task at once. Their requests are in no order,
	// and leave no other trace in it than that a tool was called. It is not changed.
	Shared bool

	queue queue
	used  int64 // guarded by Store.mu

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
	// facts are what is known of the task besides its tools.
	facts protocol.TaskFacts
	// families are what the client's own folders speak for; nil where it named none.
	families func() []ranker.Family
	// allowed are the tools that the user has allowed in this task.
	allowed map[router.ToolID]allowance
}

// allowance is a tool that the user has allowed: the content that was allowed,
// and when, in milliseconds of Unix time.
type allowance struct {
	content string
	at      int64
}

// Allow lets a tool of a content run in the task without asking, as long as the
// task is open; at is the time.
func (e *Entry) Allow(id router.ToolID, content string, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.allowed == nil {
		e.allowed = map[router.ToolID]allowance{}
	}
	e.allowed[id] = allowance{content, at.UnixMilli()}
}

// Disallow takes that back.
func (e *Entry) Disallow(id router.ToolID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.allowed, id)
}

// Allowed reports whether the user has allowed a tool of a content in the task.
func (e *Entry) Allowed(id router.ToolID, content string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	was, ok := e.allowed[id]
	return ok && was.content == content
}

// SetFamilies tells what the folders of the task's client speak for, asked at each
// look at the task. It counts before what the workspace's folders speak for.
func (e *Entry) SetFamilies(families func() []ranker.Family) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.families = families
}

// inFolders returns a view with what the client's folders speak for.
func (e *Entry) inFolders(v *router.View) *router.View {
	e.mu.Lock()
	families := e.families
	e.mu.Unlock()
	if families == nil {
		return v
	}
	return v.WithFamilies(append(slices.Clip(families()), v.Families...))
}

// Snapshot returns what the entry holds.
func (e *Entry) Snapshot() (task router.Task, shadow *router.Task, mode *router.Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.task, e.shadow, e.mode
}

// Warn notes what the host is told to warn the user of.
func (e *Entry) Warn(a *protocol.Attachment) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.warnings = a.Warnings
}

// Note changes what is known of the task besides its tools.
func (e *Entry) Note(change func(*protocol.TaskFacts)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(&e.facts)
}

// Facts returns what is known of the task besides its tools.
func (e *Entry) Facts() protocol.TaskFacts {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.facts
}

// Replace stores the task that a turn has made, with its shadow, if the user
// only watches, and the policy of the turn. What was called meanwhile stays noted
// in a shared task; in any other, no call comes between.
func (e *Entry) Replace(task router.Task, shadow *router.Task, mode *router.Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Shared {
		task.Called = e.task.Called
	}
	e.task, e.shadow, e.mode = task, shadow, mode
	if shadow == nil {
		e.missed = nil
	}
}

// AddState adds what restores the task to an attachment, where the host wants
// it. The caller is in the task's order.
func (e *Entry) AddState(a *protocol.Attachment, want bool) {
	if want && a != nil {
		t, _, _ := e.Snapshot()
		a.State = t.State()
	}
}

// Change stores the next value of a task between two turns; not where it is
// shared, because what one client was shown is nothing to the others.
func (e *Entry) Change(t router.Task) {
	if e.Shared {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.task = t
}

// Called notes a call in the task and its shadow, and returns the task.
func (e *Entry) Called(id router.ToolID) router.Task {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.task = e.task.Call(id)
	e.shadowCall(id)
	return e.task
}

// shadowCall notes a call in the task's shadow, if there is one. The caller
// holds mu.
func (e *Entry) shadowCall(id router.ToolID) {
	if e.shadow == nil {
		return
	}
	if e.shadow.Has(id) < 0 && !slices.Contains(e.missed, id) {
		e.missed = append(slices.Clip(e.missed), id)
	}
	next := e.shadow.Call(id)
	e.shadow = &next
}

// ShadowCalls notes calls that the host has made in the task's shadow.
func (e *Entry) ShadowCalls(ids []router.ToolID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		e.shadowCall(id)
	}
}
