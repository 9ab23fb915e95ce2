package daemon

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// conversationRoute answers conversation/route. The task is found while the
// message is read, so that requests are placed in the order in which they
// came.
func (s *Server) conversationRoute(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := rpc.Read[protocol.ConversationRouteParams](params)
	if err != nil {
		return nil, err
	}
	if len(p.Messages) == 0 {
		return nil, failure.Invalid("conversation/route needs the digests of the request's messages")
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
	e, placement := s.tasks.place(p.Conversation, p.Messages)
	return e.inLane(ctx, func() (any, error) { return s.routeRequest(ctx, e, placement, mode, p) }), nil
}

// routeRequest takes the step that a request means for its task.
func (s *Server) routeRequest(ctx context.Context, e *taskEntry, at router.Placement, mode *router.Mode, p *protocol.ConversationRouteParams) (any, error) {
	result := protocol.ConversationRouteResult{Task: e.id, NewTurn: at.NewTurn, Compacted: at.Compacted}
	v, err := s.workspace.view(p.Source, mode)
	if err != nil {
		return nil, err
	}
	t, _, _ := e.snapshot()
	fresh := t.ID == ""
	t = observe(v, t, p)
	s.workspace.learn(&t, t.Fetched())
	e.shadowCalls(t.Called)
	switch {
	case fresh:
		v = s.workspace.embeddings.see(ctx, v, p.Message)
		t.ID, t.ModeAsked = e.id, p.Mode
		gated, claim := s.gate(ctx, v, &t, p.Message)
		result.Attachment = s.step(e, gated, t, func(v *router.View, t router.Task) router.Task {
			return v.Turn(t, p.Message)
		})
		s.answerByClaim(ctx, e, &result.Attachment, claim)
		e.warn(&result.Attachment)
		s.workspace.telemetry.taskStart(&result.Attachment)
	case at.Compacted:
		v = s.workspace.embeddings.see(ctx, v, cmp.Or(p.Message, t.Message))
		result.Attachment = s.step(e, v, t, func(v *router.View, t router.Task) router.Task {
			if at.NewTurn {
				t.Turn++
			}
			return v.Compact(t, p.Message)
		})
		e.warn(&result.Attachment)
	case at.NewTurn:
		result.Attachment, err = s.turn(ctx, e, t, &p.Mode, p.Message)
	default:
		e.change(t)
		v, t, err = s.viewOf(e)
		if err == nil {
			result.Attachment = v.Attachment(&t)
		}
	}
	return result, err
}

// observe returns the task with what the request says about the conversation.
// The host's list of tools may be another one with each request: its servers
// start one by one, and the user switches them off.
func observe(v *router.View, t router.Task, p *protocol.ConversationRouteParams) router.Task {
	t.Source, t.Conversation, t.Messages, t.Model = p.Source, p.Conversation, p.Messages, p.Model
	for _, name := range p.Called {
		if id, err := v.Find(&t, name); err == nil {
			t = t.Call(id)
		}
	}
	return t
}
