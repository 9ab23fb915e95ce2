package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/winnow-mcp/winnow/daemon/conversations"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/conversation"
)

// openConversations makes the session's conversations, kept in the storage path
// if there is one.
func (s *Server) openConversations(storage string) *conversations.Conversations {
	o := conversations.Options{
		Log:     s.log,
		NewTask: func() string { return s.tasks.add(newTaskID()).id },
		IsOpen: func(task string) bool {
			_, err := s.tasks.look(task)
			return err == nil
		},
	}
	if storage != "" {
		o.Store = conversations.Files{Dir: filepath.Join(storage, "conversations")}
	}
	return conversations.New(o)
}

// conversationRoute answers conversation/route. The task is found while the
// message is read, so that requests are placed in the order in which they
// came.
func (s *Server) conversationRoute(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := read[protocol.ConversationRouteParams](params)
	if err != nil {
		return nil, err
	}
	if len(p.Messages) == 0 && p.Known == nil {
		return nil, invalid("conversation/route needs the digests of the request's messages")
	}
	if p.Mode == "" {
		p.Mode = s.workspace.modeOfAgent(p.Agent)
	}
	// What cannot be routed must not be noted as the conversation's latest.
	mode, err := s.workspace.mode(p.Mode)
	if err != nil {
		return nil, err
	}
	if _, err := s.workspace.view(p.Source, mode); err != nil {
		return nil, err
	}
	at, err := s.conversations.Place(conversations.Request{
		ID: p.Conversation, Known: p.Known, Messages: p.Messages, Message: p.Message,
	})
	if err != nil {
		return nil, stale(err)
	}
	e, err := s.placedTask(&at, p.Source)
	if err != nil {
		return nil, err
	}
	return e.inLane(ctx, func() (any, error) { return s.routeRequest(ctx, e, &at, mode, p) }), nil
}

// stale tells a host that has to send a request as a whole.
func stale(err error) error {
	if errors.Is(err, conversations.ErrStale) {
		return fail(protocol.KindContentModified, "Send the whole request.", "%v", err)
	}
	return err
}

// placedTask returns the task of a request. One of an earlier session is opened
// again, with the list of tools of this request: the one that it had is gone
// with that session.
func (s *Server) placedTask(at *conversations.Placed, source string) (*taskEntry, error) {
	if at.Saved == nil {
		return s.tasks.get(at.Task)
	}
	at.Saved.Source = source
	e, _, _, err := s.restore(*at.Saved)
	return e, err
}

// routeRequest takes the step that a request means for its task, and leaves out
// of the answer what the host has.
func (s *Server) routeRequest(ctx context.Context, e *taskEntry, at *conversations.Placed, mode *router.Mode, p *protocol.ConversationRouteParams) (any, error) {
	a, err := s.routeTask(ctx, e, at, mode, p)
	if err != nil {
		return nil, err
	}
	result := protocol.ConversationRouteResult{
		Task: e.id, Request: at.Request, Title: at.Title, NewTurn: at.NewTurn, Compacted: at.Compacted, Internal: at.Internal,
	}
	s.conversations.Keep(e.id, a.State)
	if !p.WantState {
		a.State = nil
	}
	known := int64(0)
	if p.Known != nil && p.Known.Task == e.id {
		known = p.Known.Generation
	}
	result.KeptTools = s.conversations.Unsent(&a, known)
	result.Attachment = a
	return result, nil
}

// routeTask takes the step that a request means for its task.
func (s *Server) routeTask(ctx context.Context, e *taskEntry, at *conversations.Placed, mode *router.Mode, p *protocol.ConversationRouteParams) (protocol.Attachment, error) {
	v, err := s.workspace.view(p.Source, mode)
	if err != nil {
		return protocol.Attachment{}, err
	}
	t, _, _ := e.snapshot()
	fresh := t.ID == ""
	t = observe(v, t, at, p)
	s.workspace.learn(&t, t.Fetched())
	e.shadowCalls(t.Called)
	var a protocol.Attachment
	switch {
	case fresh:
		v = s.workspace.embeddings.see(ctx, v, p.Message)
		t.ID, t.ModeAsked = e.id, p.Mode
		gated, claim := s.gate(ctx, v, &t, p.Message)
		a = s.step(e, gated, t, func(v *router.View, t router.Task) router.Task {
			return v.Turn(t, p.Message)
		})
		s.answerByClaim(ctx, e, &a, claim)
		e.warn(&a)
		s.workspace.telemetry.taskStart(&a)
	case at.Compacted:
		v = s.workspace.embeddings.see(ctx, v, cmp.Or(p.Message, t.Message))
		a = s.step(e, v, t, func(v *router.View, t router.Task) router.Task {
			if at.NewTurn {
				t.Turn++
			}
			return v.Compact(t, p.Message)
		})
		e.warn(&a)
	case at.NewTurn:
		return s.turn(ctx, e, t, &p.Mode, p.Message)
	default:
		e.change(t)
		v, t, err = s.viewOf(e)
		if err != nil {
			return protocol.Attachment{}, err
		}
		a = v.Attachment(&t)
	}
	return a, nil
}

// observe returns the task with what the request says about the conversation.
// The host's list of tools may be another one with each request: its servers
// start one by one, and the user switches them off.
func observe(v *router.View, t router.Task, at *conversations.Placed, p *protocol.ConversationRouteParams) router.Task {
	t.Source, t.Conversation, t.Messages, t.Model = p.Source, p.Conversation, at.Messages, p.Model
	for _, names := range [][]string{p.Called, at.Called} {
		for _, name := range names {
			if id, err := v.Find(&t, name); err == nil {
				t = t.Call(id)
			}
		}
	}
	return t
}

// conversationCall answers conversation/call. What the daemon refuses is an
// answer for the model.
func (s *Server) conversationCall(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := read[protocol.ConversationCallParams](params)
	if err != nil {
		return nil, err
	}
	e, err := s.tasks.get(p.Task)
	if err != nil {
		return nil, err
	}
	call := s.conversationCallOf(ctx, e, p)
	return later(func() (any, error) {
		answer, err := call()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			answer = textResult("Error: "+withNext(err.Error(), describe(ctx, err).Next), true)
		}
		result := protocol.ConversationCallResult{TaskCallResult: *answer}
		t, _, _ := e.snapshot()
		s.conversations.Keep(e.id, t.State())
		if answer.Attachment != nil {
			a := *answer.Attachment
			a.State = nil
			result.KeptTools = s.conversations.Unsent(&a, p.Generation)
			result.Attachment = &a
		}
		return result, nil
	}), nil
}

// conversationCallOf takes a place in the task's lane for a call. A query of
// mcp_load may have to wait for its embedding, as that of task/load does.
func (s *Server) conversationCallOf(ctx context.Context, e *taskEntry, p *protocol.ConversationCallParams) func() (*protocol.TaskCallResult, error) {
	t, _, _ := e.snapshot()
	r, err := router.ReadRequest(objectOf(p.Arguments))
	if p.Name != router.LoadName || err != nil || t.Dispatches() {
		return s.invoke(ctx, e, toolCall{name: p.Name, arguments: p.Arguments})
	}
	load := e.inLane(ctx, func() (any, error) {
		return s.taskLoad(ctx, e, &protocol.TaskLoadParams{Task: e.id, Query: r.Query, Names: r.Names, Limit: r.Limit})
	})
	return func() (*protocol.TaskCallResult, error) {
		done, err := load()
		loaded, ok := done.(protocol.TaskLoadResult)
		if err != nil || !ok {
			return nil, err
		}
		answer := textResult(loaded.Text, false)
		answer.Attachment = &loaded.Attachment
		return answer, nil
	}
}

// conversationAnswer answers conversation/answer.
func (s *Server) conversationAnswer(_ context.Context, p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
	if _, err := s.tasks.get(p.Task); err != nil {
		return protocol.ConversationAnswerResult{}, err
	}
	next, err := s.conversations.Answer(p.Task, p.Request, conversation.Answer{
		Parts: p.Parts, Delivered: p.Calls, Answers: p.Answers,
	})
	if err != nil {
		return protocol.ConversationAnswerResult{}, stale(err)
	}
	return protocol.ConversationAnswerResult{Next: next}, nil
}
