// Package conversations routes the requests of hosts that are stateless: it
// finds the task of a request by the messages that it carries, sees what the
// conversation has called meanwhile, and takes the step that the request means.
//
// Finding is the router's decision, a turn package turns' business.
package conversations

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/turns"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Options are what [Conversations] work with.
type Options struct {
	Tasks   *tasks.Store
	Turns   *turns.Turns
	Modes   *workspace.Modes
	Learned *learned.Learned
}

// Conversations routes requests.
type Conversations struct{ options Options }

// New returns what routes requests.
func New(o Options) *Conversations { return &Conversations{o} }

// Route finds the task of a request before it returns, so that requests are
// placed in the order in which they came.
func (c *Conversations) Route(ctx context.Context, p *protocol.ConversationRouteParams) (tasks.Work[protocol.ConversationRouteResult], error) {
	if len(p.Messages) == 0 {
		return nil, failure.Invalid("conversation/route needs the digests of the request's messages")
	}
	if p.Mode == "" {
		p.Mode = c.options.Modes.OfAgent(p.Agent)
	}
	// What cannot be routed must not be noted as the conversation's latest.
	mode, err := c.options.Modes.Policy(p.Mode)
	if err != nil {
		return nil, err
	}
	if _, err := c.options.Tasks.View(p.Source, mode); err != nil {
		return nil, err
	}
	e, placement := c.options.Tasks.Place(p.Conversation, p.Messages)
	return tasks.InOrder(ctx, e, func() (protocol.ConversationRouteResult, error) {
		result, err := c.step(ctx, e, placement, mode, p)
		e.AddState(&result.Attachment, p.WantState)
		return result, err
	}), nil
}

// step takes the step that a request means for its task.
func (c *Conversations) step(ctx context.Context, e *tasks.Entry, at router.Placement, mode *router.Mode, p *protocol.ConversationRouteParams) (protocol.ConversationRouteResult, error) {
	result := protocol.ConversationRouteResult{Task: e.ID, NewTurn: at.NewTurn, Compacted: at.Compacted}
	v, err := c.options.Tasks.View(p.Source, mode)
	if err != nil {
		return result, err
	}
	t, _, _ := e.Snapshot()
	fresh := t.ID == ""
	t = observe(v, t, p)
	if v.Settings.Learn.Loads {
		c.options.Learned.Load(&t, t.Fetched())
	}
	e.ShadowCalls(t.Called)
	switch {
	case fresh:
		t.ModeAsked = p.Mode
		result.Attachment = c.options.Turns.Begin(ctx, e, v, t, p.Message)
	case at.Compacted:
		result.Attachment = c.options.Turns.Afresh(ctx, e, v, t, p.Message, at.NewTurn)
	case at.NewTurn:
		result.Attachment, err = c.options.Turns.Next(ctx, e, t, &p.Mode, p.Message)
	default:
		e.Change(t)
		v, t, err = c.options.Tasks.Current(e)
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
