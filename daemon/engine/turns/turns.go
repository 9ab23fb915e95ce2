package turns

import (
	"context"
	"log/slog"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/conversations"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/gating"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/telemetry"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Options configures [Turns].
type Options struct {
	Tasks  *tasks.Store
	Calls  *calls.Caller
	Gating *gating.Asker
	Modes  *workspace.Modes
	// Class returns what exists for a class of users, in place of modes; nil means
	// everything.
	Class func(class string) (*router.Mode, error)
	// Conversations holds those of stateless hosts.
	Conversations *conversations.Conversations
	Settings      *settings.Store
	Host          host.Host
	Telemetry     *telemetry.Sender
	// Vectors adds to a view the vector of a text to be ranked.
	Vectors calls.Vectors
	// Results stores whole results; if nil, none are stored.
	Results *results.Store
	// Unknown names the servers that are about to be ready for the first time.
	Unknown func() []string
	// Sent is called for each turn of a host that keeps its tasks itself, with the tokens
	// of what was left out, by server.
	Sent func(a *protocol.Attachment, leftOut map[string]int, newTask bool)
	Log  *slog.Logger
}

// Turns opens, continues and closes tasks.
type Turns struct{ options Options }

// New returns Turns for the tasks in o.Tasks.
func New(o Options) *Turns { return &Turns{o} }

// Open opens a task, or resumes one from p.State. The task is queued before Open returns.
func (s *Turns) Open(ctx context.Context, p *protocol.TaskOpenParams) (tasks.Work[protocol.Attachment], error) {
	if p.State != nil {
		a, err := s.Resume(&protocol.TaskResumeParams{State: *p.State, WantState: p.WantState})
		return func() (protocol.Attachment, error) { return a, nil }, err
	}
	mode, err := s.options.Modes.Policy(p.Mode)
	if err != nil {
		return nil, err
	}
	if _, err := s.options.Tasks.View(p.Source, mode); err != nil {
		return nil, err
	}
	e := s.options.Tasks.Add(principal.Local, tasks.NewID())
	return tasks.InOrder(ctx, e, func() (protocol.Attachment, error) {
		v, err := s.options.Tasks.View(p.Source, mode)
		if err != nil {
			return protocol.Attachment{}, err
		}
		a := s.Begin(ctx, e, v, router.Task{Source: p.Source, ModeAsked: p.Mode, Model: p.Model, Choices: p.Choices}, p.Message)
		s.sent(e, &a, true)
		e.AddState(&a, p.WantState)
		return a, nil
	}), nil
}

func (s *Turns) sent(e *tasks.Entry, a *protocol.Attachment, newTask bool) {
	if v, t, err := s.options.Tasks.Current(e); err == nil {
		s.options.Sent(a, v.LeftOut(&t), newTask)
	}
}

// Begin takes the first turn of a task. Callers must be in the task's order.
func (s *Turns) Begin(ctx context.Context, e *tasks.Entry, v *router.View, t router.Task, message string) protocol.Attachment {
	t.ID = e.ID
	v = s.options.Vectors(ctx, v, v.TurnText(t, message))
	v, claim := s.options.Gating.Ask(ctx, v, &t, message)
	a := s.step(e, v, t, func(v *router.View, t router.Task) router.Task { return v.Turn(t, message) })
	s.answerByClaim(ctx, e, &a, claim)
	e.Warn(&a)
	s.options.Telemetry.TaskStart(&a)
	return a
}

// step applies next to a task and returns what the host should send. In shadow mode the
// task itself gets every tool, and next is applied to a shadow of it.
func (s *Turns) step(e *tasks.Entry, v *router.View, t router.Task, next func(*router.View, router.Task) router.Task) protocol.Attachment {
	unknown := s.options.Unknown()
	t.Starting = slices.DeleteFunc(v.Unlisted(), func(name string) bool { return !slices.Contains(unknown, name) })
	if !v.Settings.Shadow {
		t = next(v, t)
		e.Replace(t, nil, v.Mode)
		return v.Attachment(&t)
	}
	_, shadow, _ := e.Snapshot()
	routed := t
	if shadow != nil {
		routed = *shadow
		// The inputs of the request, without the results of the turn.
		routed.Source, routed.Model, routed.Choices, routed.Client = t.Source, t.Model, t.Choices, t.Client
		routed.Starting, routed.Warm = t.Starting, t.Warm
	}
	routed = next(v, routed)
	v = v.Unrouted()
	t = next(v, t)
	e.Replace(t, &routed, v.Mode)
	a := v.Attachment(&t)
	a.Shadow, a.WouldAttach = true, v.Attachment(&routed).Tools
	return a
}

// Turn takes a turn that a host requests. Callers must be in the task's order.
func (s *Turns) Turn(ctx context.Context, e *tasks.Entry, p *protocol.TaskTurnParams) (protocol.Attachment, error) {
	t, _, _ := e.Snapshot()
	if p.Source != nil {
		t.Source = *p.Source
	}
	if p.Model != nil {
		t.Model = *p.Model
	}
	if p.Choices != nil {
		t.Choices = *p.Choices
	}
	a, err := s.Next(ctx, e, t, p.Mode, p.Message)
	if err == nil {
		s.sent(e, &a, false)
	}
	e.AddState(&a, p.WantState)
	return a, err
}

// Next takes a turn with a new user message. A nil mode keeps the task's. Callers must be
// in the task's order.
func (s *Turns) Next(ctx context.Context, e *tasks.Entry, t router.Task, mode *string, message string) (protocol.Attachment, error) {
	v, warning, err := s.NextView(e, &t, mode)
	if err != nil {
		return protocol.Attachment{}, err
	}
	v = s.options.Vectors(ctx, v, v.TurnText(t, message))
	v, claim := s.options.Gating.Ask(ctx, v, &t, message)
	before := len(t.Attached)
	a := s.step(e, v, t, func(v *router.View, t router.Task) router.Task { return v.Turn(t, message) })
	s.answerByClaim(ctx, e, &a, claim)
	if warning != "" {
		a.Warnings = append(a.Warnings, warning)
	}
	e.Warn(&a)
	s.options.Telemetry.WindowStep(&a, len(a.Tools)-before)
	return a, nil
}

// NextView returns the task's view from now on. A mode whose file is gone keeps its
// policy, because a broken file must not permit more.
func (s *Turns) NextView(e *tasks.Entry, t *router.Task, slug *string) (v *router.View, warning string, err error) {
	_, _, before := e.Snapshot()
	if slug != nil {
		t.ModeAsked = *slug
	}
	if s.options.Class != nil {
		mode, err := s.options.Class(e.Class)
		if err == nil {
			v, err = s.options.Tasks.View(t.Source, mode)
		}
		return v, "", err
	}
	mode, err := s.options.Modes.Policy(t.ModeAsked)
	if err != nil {
		if slug != nil && *slug != "" || before == nil {
			return nil, "", err
		}
		mode, warning = before, err.Error()+"; the last policy of the task stays in force"
	}
	v, err = s.options.Tasks.View(t.Source, mode)
	return v, warning, err
}

// Compact chooses the tools of a task again. Callers must be in the task's order.
func (s *Turns) Compact(ctx context.Context, e *tasks.Entry, p *protocol.TaskCompactParams) (protocol.Attachment, error) {
	t, _, _ := e.Snapshot()
	v, _, err := s.NextView(e, &t, nil)
	if err != nil {
		return protocol.Attachment{}, err
	}
	a := s.Afresh(ctx, e, v, t, p.Message, false)
	e.AddState(&a, p.WantState)
	return a, nil
}

// Afresh chooses the tools of a task again, as a new turn if the message is new. Callers
// must be in the task's order.
func (s *Turns) Afresh(ctx context.Context, e *tasks.Entry, v *router.View, t router.Task, message string, newTurn bool) protocol.Attachment {
	v = s.options.Vectors(ctx, v, v.CompactText(t, message))
	a := s.step(e, v, t, func(v *router.View, t router.Task) router.Task {
		if newTurn {
			t.Turn++
		}
		return v.Compact(t, message)
	})
	e.Warn(&a)
	return a
}

// Resume restores a saved task, unless it is already open in that state. It attaches
// nothing new before the next turn.
func (s *Turns) Resume(p *protocol.TaskResumeParams) (protocol.Attachment, error) {
	state := &p.State
	t, err := router.Restore(state)
	if err != nil {
		return protocol.Attachment{}, failure.Invalid("state: %v", err)
	}
	if a, open := s.openAt(&t, p.WantState); open {
		s.options.Conversations.AdoptOpen(t.ID, state.Conversation, state.Messages)
		return a, nil
	}
	e, v, warning, err := s.Restore(t)
	if err != nil {
		return protocol.Attachment{}, err
	}
	s.options.Conversations.Adopt(t.ID, state.Conversation, state.Messages)
	a := v.Attachment(&t)
	if warning != "" {
		a.Warnings = append(a.Warnings, warning)
	}
	e.Warn(&a)
	e.AddState(&a, p.WantState)
	return a, nil
}

// openAt returns the attachment of a task that is open in the state of a saved one.
// Values of a task with equal turn and generation have the same tools.
func (s *Turns) openAt(saved *router.Task, wantState bool) (protocol.Attachment, bool) {
	e, err := s.options.Tasks.Get(principal.Local, saved.ID)
	if err != nil {
		return protocol.Attachment{}, false
	}
	t, _, mode := e.Snapshot()
	if t.Turn != saved.Turn || t.Generation != saved.Generation {
		return protocol.Attachment{}, false
	}
	v, err := s.options.Tasks.View(t.Source, mode)
	if err != nil {
		return protocol.Attachment{}, false
	}
	a := v.Attachment(&t)
	e.AddState(&a, wantState)
	return a, true
}

// Restore opens a saved task in its mode.
func (s *Turns) Restore(t router.Task) (e *tasks.Entry, v *router.View, warning string, err error) {
	mode, err := s.options.Modes.Policy(t.Mode)
	if err != nil {
		mode, warning = s.options.Modes.None(), err.Error()+"; the task goes on without it"
	}
	v, err = s.options.Tasks.View(t.Source, mode)
	if err != nil {
		return nil, nil, "", err
	}
	e = s.options.Tasks.Add(principal.Local, t.ID)
	e.Replace(t, nil, mode)
	return e, v, warning, nil
}

// Close closes an open or past task, and deletes what is stored for it.
func (s *Turns) Close(task string) error {
	e, err := s.options.Tasks.Look(principal.Local, task)
	if err != nil {
		if past, failed := s.options.Conversations.ForgetPast(task); past {
			return failed
		}
		return err
	}
	s.options.Tasks.Remove(e.Principal, task)
	s.options.Conversations.Forget(task)
	return s.Forget(e)
}

// Forget deletes what is stored for a task.
func (s *Turns) Forget(e *tasks.Entry) error {
	if s.options.Results == nil {
		return nil
	}
	return s.options.Results.Forget(results.Owner{Principal: e.Principal, Task: e.ID})
}
