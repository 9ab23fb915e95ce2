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

// Entry is an open task. Changes must be made [InOrder], so that requests take effect in
// the order of arrival.
type Entry struct {
	// Principal owns the task, and ID identifies it among the principal's.
	Principal principal.Principal
	ID        string
	// Class is the principal's class, if classes are distinguished. It does not change.
	Class string
	// Shared reports that many clients use the task at once. Their requests are not
	// ordered, and change only which tools were called. It does not change.
	Shared bool

	queue queue
	used  int64 // guarded by Store.mu

	// mu guards the following fields. It is held for assignments only.
	mu   sync.Mutex
	task router.Task
	// shadow is the task as routing would have made it, in shadow mode.
	shadow *router.Task
	// missed holds the called tools that the shadow did not have.
	missed []router.ToolID
	// warnings holds the host's warnings of the latest turn. Some are not part of the
	// task, such as a failed claim.
	warnings []string
	// mode is the policy of the latest turn.
	mode *router.Mode
	// facts is what is known of the task besides its tools.
	facts protocol.TaskFacts
	// families returns the families of servers that the client's folders suggest; nil if
	// it named none.
	families func() []ranker.Family
	// allowed holds the tools that the user has allowed in this task.
	allowed map[router.ToolID]allowance
}

// allowance is a tool that the user has allowed: its content, and when, in Unix
// milliseconds.
type allowance struct {
	content string
	at      int64
}

// Allow lets a tool with the given content run in the task without confirmation while the
// task is open; at is the current time.
func (e *Entry) Allow(id router.ToolID, content string, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.allowed == nil {
		e.allowed = map[router.ToolID]allowance{}
	}
	e.allowed[id] = allowance{content, at.UnixMilli()}
}

// Disallow revokes that permission.
func (e *Entry) Disallow(id router.ToolID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.allowed, id)
}

// Allowed reports whether the user has allowed a tool with that content in the task.
func (e *Entry) Allowed(id router.ToolID, content string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	was, ok := e.allowed[id]
	return ok && was.content == content
}

// SetFamilies sets the function that returns the families of servers that the client's
// folders suggest. It is called at each look at the task, and precedes the workspace's
// families.
func (e *Entry) SetFamilies(families func() []ranker.Family) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.families = families
}

// inFolders returns a view with the families of the client's folders.
func (e *Entry) inFolders(v *router.View) *router.View {
	e.mu.Lock()
	families := e.families
	e.mu.Unlock()
	if families == nil {
		return v
	}
	return v.WithFamilies(append(slices.Clip(families()), v.Families...))
}

// Snapshot returns the task, its shadow (nil without one), and the policy of the latest
// turn.
func (e *Entry) Snapshot() (task router.Task, shadow *router.Task, mode *router.Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.task, e.shadow, e.mode
}

// Warn records the host's warnings.
func (e *Entry) Warn(a *protocol.Attachment) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.warnings = a.Warnings
}

// Note changes the facts of the task.
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

// Replace stores the task after a turn, with its shadow in shadow mode, and the policy of
// the turn. In a shared task it keeps calls made meanwhile; in any other, none can be.
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

// AddState adds the task's state to an attachment if the host wants it. Callers must be
// in the task's order.
func (e *Entry) AddState(a *protocol.Attachment, want bool) {
	if want && a != nil {
		t, _, _ := e.Snapshot()
		a.State = t.State()
	}
}

// Change stores the next value of a task between two turns. It ignores a shared task,
// because what one client was shown does not apply to the others.
func (e *Entry) Change(t router.Task) {
	if e.Shared {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.task = t
}

// Called records a call in the task and its shadow, and returns the task.
func (e *Entry) Called(id router.ToolID) router.Task {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.task = e.task.Call(id)
	e.shadowCall(id)
	return e.task
}

// shadowCall records a call in the task's shadow, if any. Callers must hold mu.
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

// ShadowCalls records calls by the host in the task's shadow.
func (e *Entry) ShadowCalls(ids []router.ToolID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		e.shadowCall(id)
	}
}
