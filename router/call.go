package router

import (
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// Action says what to do with a call.
type Action int

// The values of [Action].
const (
	// Run runs the tool.
	Run Action = iota
	// Retry means that the tool is attached now and the model has to call again.
	Retry
)

// Decision is the outcome of a model's call.
type Decision struct {
	Action Action
	ID     ToolID
	// Text is the answer for the model if Action is Retry.
	Text string
}

// Call decides about a call of a name. The returned task has the tool attached if the
// early-call policy says so. An error is a [*Refusal].
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

// earlyCall decides about a tool that exists, is in scope and is not attached.
func (v *answering) earlyCall(t Task, i int) (Task, Decision, error) {
	tool := &v.Catalog.Tools[i]
	if t.Dispatches() {
		return v.unseenCall(t, tool)
	}
	policy := v.Settings.EarlyCall
	if t.Routing != protocol.AttachDynamic {
		policy = protocol.EarlyCallAttach // the tool arrived after the turn began
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
		// Without room the tool still runs: the model must have seen it somewhere.
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

// unseenCall decides about a tool that is not attached in a task that searches and calls.
// It attaches nothing. The early-call policy applies only to tools that the model has not
// been shown; a shown tool runs.
func (v *answering) unseenCall(t Task, tool *Tool) (Task, Decision, error) {
	if v.Settings.EarlyCall == protocol.EarlyCallAttach || t.sees(tool) {
		return t, Decision{ID: tool.ID}, nil
	}
	if v.Settings.EarlyCall == protocol.EarlyCallRefuse {
		return t, Decision{}, &Refusal{
			Kind: protocol.KindNotAttached, ID: tool.ID,
			Message: fmt.Sprintf("%s has not been shown in this task; find it by %s first", tool.Name, t.Finder()),
			Next:    "Set winnow.earlyCall to `attach` to let such calls run.",
		}
	}
	return t.show(tool), Decision{Action: Retry, ID: tool.ID, Text: fmt.Sprintf(
		"%s had not been shown to you yet. Call it again by %s, with arguments that fit its schema: %s",
		tool.Name, CallName, compactSchema(tool.Schema))}, nil
}

// full returns the refusal of a tool for which a task has no room.
func (v *answering) full(t *Task, id ToolID) *Refusal {
	return &Refusal{
		Kind: protocol.KindLimit, ID: id,
		Message: fmt.Sprintf("%s cannot be attached: %s", id, v.limit(t)),
		Next:    "Raise that limit if the model takes more tools, or open a new task.",
	}
}

// Dispatch decides about a call by mcp_call, which does not require the tool to be
// attached. The returned task records what its model was shown. An error is a [*Refusal].
func (v *answering) Dispatch(t Task, name string) (Task, Decision, error) {
	i, err := v.known(&t, name)
	if err != nil {
		return t, Decision{}, err
	}
	if err := v.callable(&t, i); err != nil {
		return t, Decision{}, err
	}
	tool := &v.Catalog.Tools[i]
	if v.attaches(&t, tool) {
		return t, Decision{ID: tool.ID}, nil
	}
	return v.unseenCall(t, tool)
}
