package daemon

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// taskOpen answers task/open.
func (s *Server) taskOpen(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := read[protocol.TaskOpenParams](params)
	if err != nil {
		return nil, err
	}
	if p.State != nil {
		return s.resume(p.State)
	}
	mode, err := s.workspace.mode(p.Mode)
	if err != nil {
		return nil, err
	}
	if _, err := s.workspace.view(p.Source, mode); err != nil {
		return nil, err
	}
	e := s.tasks.add(newTaskID())
	return e.inLane(ctx, func() (any, error) {
		return s.openTask(ctx, e, p, mode)
	}), nil
}

// openTask begins the task of an entry.
func (s *Server) openTask(ctx context.Context, e *taskEntry, p *protocol.TaskOpenParams, mode *router.Mode) (any, error) {
	v, err := s.workspace.view(p.Source, mode)
	if err != nil {
		return nil, err
	}
	v = s.workspace.embeddings.see(ctx, v, p.Message)
	t := router.Task{ID: e.id, Source: p.Source, ModeAsked: p.Mode, Model: p.Model, Choices: p.Choices}
	v, claim := s.gate(ctx, v, &t, p.Message)
	a := s.step(e, v, t, func(v *router.View, t router.Task) router.Task { return v.Turn(t, p.Message) })
	s.answerByClaim(ctx, e, &a, claim)
	e.warn(&a)
	s.workspace.telemetry.taskStart(&a)
	return a, nil
}

// step takes a task from one value to the next and returns what the host is to
// send. While the user only watches, the task itself gets every tool, and
// routing is tried on a shadow of it.
func (s *Server) step(e *taskEntry, v *router.View, t router.Task, next func(*router.View, router.Task) router.Task) protocol.Attachment {
	if !v.Settings.Shadow {
		t = next(v, t)
		e.store(t, nil, v.Mode)
		return v.Attachment(&t)
	}
	_, shadow, _ := e.snapshot()
	if shadow == nil {
		shadow = &t
	}
	routed := next(v, *shadow)
	v = v.Unrouted()
	t = next(v, t)
	e.store(t, &routed, v.Mode)
	a := v.Attachment(&t)
	a.Shadow, a.WouldAttach = true, v.Attachment(&routed).Tools
	return a
}

// taskTurn answers task/turn.
func (s *Server) taskTurn(ctx context.Context, e *taskEntry, p *protocol.TaskTurnParams) (protocol.Attachment, error) {
	t, _, _ := e.snapshot()
	if p.Model != nil {
		t.Model = *p.Model
	}
	if p.Choices != nil {
		t.Choices = *p.Choices
	}
	return s.turn(ctx, e, t, p.Mode, p.Message)
}

// turn takes a turn with a new user message. A nil mode keeps the task's.
func (s *Server) turn(ctx context.Context, e *taskEntry, t router.Task, mode *string, message string) (protocol.Attachment, error) {
	v, warning, err := s.nextView(e, &t, mode)
	if err != nil {
		return protocol.Attachment{}, err
	}
	v = s.workspace.embeddings.see(ctx, v, message)
	v, claim := s.gate(ctx, v, &t, message)
	before := len(t.Attached)
	a := s.step(e, v, t, func(v *router.View, t router.Task) router.Task { return v.Turn(t, message) })
	s.answerByClaim(ctx, e, &a, claim)
	if warning != "" {
		a.Warnings = append(a.Warnings, warning)
	}
	e.warn(&a)
	s.workspace.telemetry.windowStep(&a, len(a.Tools)-before)
	return a, nil
}

// nextView returns what the task sees from now on. A mode whose file is gone
// keeps the policy that it had: a broken file must not open what it closed.
func (s *Server) nextView(e *taskEntry, t *router.Task, slug *string) (v *router.View, warning string, err error) {
	_, _, before := e.snapshot()
	if slug != nil {
		t.ModeAsked = *slug
	}
	mode, err := s.workspace.mode(t.ModeAsked)
	if err != nil {
		if slug != nil && *slug != "" || before == nil {
			return nil, "", err
		}
		mode, warning = before, err.Error()+"; the last policy of the task stays in force"
	}
	v, err = s.workspace.view(t.Source, mode)
	return v, warning, err
}

// taskCompact answers task/compact.
func (s *Server) taskCompact(ctx context.Context, e *taskEntry, p *protocol.TaskCompactParams) (protocol.Attachment, error) {
	t, _, _ := e.snapshot()
	v, _, err := s.nextView(e, &t, nil)
	if err != nil {
		return protocol.Attachment{}, err
	}
	v = s.workspace.embeddings.see(ctx, v, cmp.Or(p.Message, t.Message))
	a := s.step(e, v, t, func(v *router.View, t router.Task) router.Task { return v.Compact(t, p.Message) })
	e.warn(&a)
	return a, nil
}

// taskResume answers task/resume.
func (s *Server) taskResume(_ context.Context, p *protocol.TaskResumeParams) (protocol.Attachment, error) {
	return s.resume(&p.State)
}

// resume restores a saved task. It attaches nothing new: the next turn does.
func (s *Server) resume(state *protocol.TaskState) (protocol.Attachment, error) {
	t, err := router.Restore(state)
	if err != nil {
		return protocol.Attachment{}, invalid("state: %v", err)
	}
	e, v, warning, err := s.restore(t)
	if err != nil {
		return protocol.Attachment{}, err
	}
	s.conversations.Adopt(t.ID, state.Conversation, state.Messages)
	a := v.Attachment(&t)
	if warning != "" {
		a.Warnings = append(a.Warnings, warning)
	}
	e.warn(&a)
	return a, nil
}

// restore opens a task that was saved, under the mode that it had.
func (s *Server) restore(t router.Task) (e *taskEntry, v *router.View, warning string, err error) {
	mode, err := s.workspace.mode(t.Mode)
	if err != nil {
		mode, warning = s.workspace.noMode(), err.Error()+"; the task goes on without it"
	}
	v, err = s.workspace.view(t.Source, mode)
	if err != nil {
		return nil, nil, "", err
	}
	e = s.tasks.add(t.ID)
	e.store(t, nil, mode)
	return e, v, warning, nil
}

// taskClose answers task/close.
func (s *Server) taskClose(_ context.Context, p *protocol.TaskParams) (protocol.Empty, error) {
	if !s.tasks.remove(p.Task) {
		_, err := s.tasks.get(p.Task)
		return protocol.Empty{}, err
	}
	s.conversations.Forget(p.Task)
	return protocol.Empty{}, s.workspace.forget(p.Task)
}

// taskList answers task/list.
func (s *Server) taskList(context.Context, *protocol.Empty) (protocol.TaskListResult, error) {
	result := protocol.TaskListResult{}
	for _, e := range s.tasks.list() {
		if t, _, _ := e.snapshot(); t.ID == "" {
			continue // still being opened
		}
		j, err := s.judge(e)
		if err != nil {
			return result, err
		}
		a := j.view.Attachment(&j.task)
		result.Tasks = append(result.Tasks, protocol.TaskSummary{
			Task: j.task.ID, Source: j.task.Source, Mode: j.task.Mode, Turn: j.task.Turn,
			Frozen: a.Frozen, Counts: a.Counts, Tokens: a.Tokens,
			Shadow: j.shadow, Missed: len(j.missed), MissedTools: refs(j.missed), Warnings: j.warnings,
		})
	}
	return result, nil
}

func refs(ids []router.ToolID) []protocol.ToolRef {
	refs := make([]protocol.ToolRef, len(ids))
	for i, id := range ids {
		refs[i] = protocol.ToolRef(id)
	}
	return refs
}
