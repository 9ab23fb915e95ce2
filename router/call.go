package router

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Action is what becomes of a call.
type Action int

// The values of [Action].
const (
	// Run the tool.
	Run Action = iota
	// Retry: the tool is attached now; the model has to call again.
	Retry
)

// Decision is what a model's call means.
type Decision struct {
	Action Action
	ID     ToolID
	// Text is the answer for the model, with Retry.
	Text string
}

// Refusal says why a call may not run. It is an error.
type Refusal struct {
	Kind protocol.ErrorKind
	ID   ToolID
	// Cause is the scope rule that refused; nil when it was none.
	Cause   *protocol.Cause
	Message string
	Next    string
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// text returns the message and what can be done, for a model.
func (r *Refusal) text() string { return r.Message + ". " + r.Next }

// Call decides about a call of a name. The returned task has the tool attached
// where the early-call policy says so. An error is a [*Refusal].
func (v *answering) Call(t Task, name string) (Task, Decision, error) {
	i, err := v.known(&t, name)
	if err != nil {
		return t, Decision{}, err
	}
	if err := v.callable(&t, i); err != nil {
		return t, Decision{}, err
	}
	if tool := &v.Catalog.Tools[i]; v.attaches(&t, tool) {
		return t, Decision{ID: tool.ID}, nil
	}
	return v.earlyCall(t, i)
}

// callable refuses a tool that a rule forbids, or whose server is away.
func (v *naming) callable(t *Task, i int) error {
	tool := &v.Catalog.Tools[i]
	if rule := v.Rule(t, i); rule.Kind != "" && rule.Kind != protocol.CauseStopped {
		return &Refusal{
			Kind: protocol.KindOutOfScope, ID: tool.ID, Cause: &rule,
			Message: fmt.Sprintf("%s may not be called: %s forbids it", tool.ID, reasons.Text(rule)),
			Next:    "Change that setting to allow the tool.",
		}
	}
	if cause := v.Catalog.Servers[tool.Server].Unavailable; cause != "" {
		return &Refusal{
			Kind: protocol.KindUnavailable, ID: tool.ID,
			Message: fmt.Sprintf("%s cannot be called now: %s", tool.ID, cause),
			Next:    fmt.Sprintf("See the log of server %q, or restart it.", tool.ID.Server),
		}
	}
	return nil
}

// earlyCall decides about a tool that exists, is in scope and is not attached.
func (v *answering) earlyCall(t Task, i int) (Task, Decision, error) {
	tool := &v.Catalog.Tools[i]
	if t.Dispatches() {
		return v.unseenCall(t, tool)
	}
	policy := v.Settings.EarlyCall
	if t.Routing != protocol.AttachDynamic {
		policy = protocol.EarlyCallAttach // it came after the turn began
	}
	if policy == protocol.EarlyCallRefuse {
		return t, Decision{}, &Refusal{
			Kind: protocol.KindNotAttached, ID: tool.ID,
			Message: fmt.Sprintf("%s is not attached to this task; attach it by %s first", tool.Name, LoadName),
			Next:    "Set winnow.earlyCall to `attach` to let such calls run.",
		}
	}
	t, dropped := v.attach(t, []pick{{tool: i, reason: protocol.ReasonEarlyCall}})
	if policy != protocol.EarlyCallRetry {
		// Without room the tool still runs: the model knows it from somewhere.
		return t, Decision{ID: tool.ID}, nil
	}
	if len(dropped) > 0 {
		return t, Decision{}, v.full(&t, tool.ID)
	}
	attached := &t.Attached[t.Has(tool.ID)]
	return t, Decision{Action: Retry, ID: tool.ID, Text: fmt.Sprintf(
		"%s was not attached yet. It is now; call it again with arguments that fit its schema: %s",
		attached.Name, attached.Schema)}, nil
}

// unseenCall decides about a tool that a task which searches and calls has not
// attached: nothing is attached for it. The early-call policy is about tools
// that its model has not been shown; one that it has been shown runs.
func (v *answering) unseenCall(t Task, tool *Tool) (Task, Decision, error) {
	if v.Settings.EarlyCall == protocol.EarlyCallAttach || t.sees(tool) {
		return t, Decision{ID: tool.ID}, nil
	}
	if v.Settings.EarlyCall == protocol.EarlyCallRefuse {
		return t, Decision{}, &Refusal{
			Kind: protocol.KindNotAttached, ID: tool.ID,
			Message: fmt.Sprintf("%s has not been shown in this task; find it by %s first", tool.Name, t.finder()),
			Next:    "Set winnow.earlyCall to `attach` to let such calls run.",
		}
	}
	return t.show(tool), Decision{Action: Retry, ID: tool.ID, Text: fmt.Sprintf(
		"%s had not been shown to you yet. Call it again by %s, with arguments that fit its schema: %s",
		tool.Name, CallName, compactSchema(tool.Schema))}, nil
}

// full refuses a tool for which a task has no room.
func (v *answering) full(t *Task, id ToolID) *Refusal {
	return &Refusal{
		Kind: protocol.KindLimit, ID: id,
		Message: fmt.Sprintf("%s cannot be attached: %s", id, v.limit(t)),
		Next:    "Raise that limit if the model takes more tools, or open a new task.",
	}
}

// unknown says what is known of a name that no tool answers to.
func (v *naming) unknown(t *Task, name string) *Refusal {
	r := &Refusal{
		Kind:    protocol.KindUnknownTool,
		Message: fmt.Sprintf("there is no tool %q", cut(name, maxNameEcho)),
		Next:    fmt.Sprintf("Search with %s.", t.finder()),
	}
	near := v.Catalog.Suggest(name, maxSuggestions, func(tool int) bool { return v.admits(t, tool) })
	if len(near) > 0 {
		r.Next = "Did you mean " + strings.Join(near, ", ") + "?"
	}
	return r
}

// Bounds on what is said of an unknown name.
const (
	maxNameEcho    = 80
	maxSuggestions = 3
)
