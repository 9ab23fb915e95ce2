// Package stateless routes the requests of stateless hosts. It finds the task of a
// request by its messages, records what the conversation has called meanwhile, and takes
// the step that the request means.
//
// Package conversations holds and stores the conversations, package turns takes turns,
// and package calls makes calls.
package stateless

import (
	"context"
	"errors"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/daemon/engine/conversation"
	"github.com/winnow-mcp/winnow/daemon/engine/conversations"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/turns"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Options configures [Requests].
type Options struct {
	Tasks         *tasks.Store
	Turns         *turns.Turns
	Calls         *calls.Caller
	Loads         *calls.Loader
	Conversations *conversations.Conversations
	Modes         *workspace.Modes
	Learned       *learned.Learned
	// Explain describes an error and the next step in one text.
	Explain func(ctx context.Context, err error) string
}

// Requests routes requests of stateless hosts.
type Requests struct{ options Options }

// New returns the router of requests.
func New(o Options) *Requests { return &Requests{o} }

// Route finds the task of a request before it returns, so that requests are placed in the
// order of arrival.
func (r *Requests) Route(ctx context.Context, p *protocol.ConversationRouteParams) (tasks.Work[protocol.ConversationRouteResult], error) {
	if len(p.Messages) == 0 {
		return nil, failure.Invalid("it needs the request's messages")
	}
	chats.ReadVSCode(p, nil)
	if p.Mode == "" {
		p.Mode = r.options.Modes.OfAgent(p.Agent)
	}
	// A request that cannot be routed must not become the conversation's latest.
	mode, err := r.options.Modes.Policy(p.Mode)
	if err != nil {
		return nil, err
	}
	v, err := r.options.Tasks.View(p.Source, mode)
	if err != nil {
		return nil, err
	}
	q := conversations.Request{ID: p.Conversation, Messages: p.Messages, Message: p.Message}
	if p.ToolsFirst {
		q.Source = p.Source
	}
	at := r.options.Conversations.Place(q)
	e, err := r.task(&at, p.Source, v.Catalog)
	if err != nil {
		return nil, err
	}
	return tasks.InOrder(ctx, e, func() (protocol.ConversationRouteResult, error) { return r.route(ctx, e, &at, mode, p) }), nil
}

// task returns the task of a request. A task of an earlier session is reopened with this
// request's list of tools, because its own list ended with that session, and with the
// names that its host has for them now.
func (r *Requests) task(at *conversations.Placed, source string, c *router.Catalog) (*tasks.Entry, error) {
	if at.Saved == nil {
		return r.options.Tasks.Get(principal.Local, at.Task)
	}
	at.Saved.Source = source
	e, _, _, err := r.options.Turns.Restore(at.Saved.Renamed(c))
	return e, err
}

// route takes the step of a request for its task.
func (r *Requests) route(ctx context.Context, e *tasks.Entry, at *conversations.Placed, mode *router.Mode, p *protocol.ConversationRouteParams) (protocol.ConversationRouteResult, error) {
	a, err := r.step(ctx, e, at, mode, p)
	if err != nil {
		return protocol.ConversationRouteResult{}, err
	}
	result := protocol.ConversationRouteResult{
		Task: e.ID, Request: at.Request, Title: at.Title, NewTurn: at.NewTurn, Compacted: at.Compacted, Internal: at.Internal,
	}
	e.Note(func(f *protocol.TaskFacts) { f.Title, f.ModelName, f.AllListed = at.Title, p.ModelName, p.AllListed })
	r.keep(e)
	if !p.AllListed { // @winnow's, which no client would have sent
		sent, first := a, at.Request == 1 && at.Saved == nil
		v, t, err := r.options.Tasks.Current(e)
		if err != nil {
			return protocol.ConversationRouteResult{}, err
		}
		left := v.LeftOut(&t)
		r.options.Conversations.WhenAnswered(e.ID, at.Request, func() { r.options.Learned.Savings.Record(&sent, left, first) })
	}
	e.AddState(&a, p.WantState)
	result.Attachment = a
	return result, nil
}

// Load attaches what the user requests between two requests. Callers must be in the
// task's order.
func (r *Requests) Load(ctx context.Context, e *tasks.Entry, p *protocol.TaskLoadParams) (protocol.TaskLoadResult, error) {
	result, err := r.options.Loads.Load(ctx, e, p)
	if err == nil {
		r.keep(e)
	}
	return result, err
}

// keep stores the current task of a conversation.
func (r *Requests) keep(e *tasks.Entry) {
	t, _, _ := e.Snapshot()
	var described *protocol.TaskSummary
	if summary, err := r.options.Tasks.Summary(e); err == nil {
		summary.ModeName = r.options.Modes.Name(summary.Mode)
		described = &summary
	}
	r.options.Conversations.Keep(e.ID, t.State(), described)
}

// step takes the step of a request for its task.
func (r *Requests) step(ctx context.Context, e *tasks.Entry, at *conversations.Placed, mode *router.Mode, p *protocol.ConversationRouteParams) (protocol.Attachment, error) {
	v, err := r.options.Tasks.View(p.Source, mode)
	if err != nil {
		return protocol.Attachment{}, err
	}
	t, _, _ := e.Snapshot()
	fresh := t.ID == ""
	// The tools precede all messages in the provider's cache.
	warm := p.ToolsFirst && at.Idle < time.Duration(v.Settings.Proxy.AppendAfterMinutes)*time.Minute
	t = observe(v, t, at, p)
	if v.Settings.Learn.Loads {
		r.options.Learned.Load(&t, t.Fetched())
	}
	e.ShadowCalls(t.Called)
	switch {
	case fresh:
		t.ModeAsked = p.Mode
		return r.options.Turns.Begin(ctx, e, v, t, p.Message), nil
	case at.Compacted && !warm: // while the cache is warm, keeping its tools costs less
		return r.options.Turns.Afresh(ctx, e, v, t, p.Message, at.NewTurn), nil
	case at.NewTurn:
		t.Warm = warm
		return r.options.Turns.Next(ctx, e, t, &p.Mode, p.Message)
	}
	e.Change(t)
	v, t, err = r.options.Tasks.Current(e)
	if err != nil {
		return protocol.Attachment{}, err
	}
	t = v.Mirror(t)
	if p.ToolsFirst { // the proxy's clients make the calls of their models themselves
		t = v.CatchUp(t)
	}
	e.Change(t)
	return v.Attachment(&t), nil
}

// observe returns the task with what the request tells of the conversation. The host's
// list of tools may differ in each request, as its servers start one by one and the user
// disables some.
func observe(v *router.View, t router.Task, at *conversations.Placed, p *protocol.ConversationRouteParams) router.Task {
	t.Source, t.Conversation, t.Messages, t.Model = p.Source, p.Conversation, at.Messages, p.Model
	t.Unclaimed = p.ToolsFirst // the proxy's clients
	if p.Client != nil {
		t = v.WithClient(t, *p.Client)
	}
	for _, names := range [][]string{p.Called, at.Called} {
		for _, name := range names {
			if id, ok := v.Means(&t, name); ok { // most others are the host's own
				t = t.Call(id)
			}
		}
	}
	return t
}

// Call decides about a model's call in its answer to a request. A refusal is an answer
// for the model.
func (r *Requests) Call(ctx context.Context, p *protocol.ConversationCallParams) (tasks.Work[protocol.TaskCallResult], error) {
	e, err := r.options.Tasks.Get(principal.Local, p.Task)
	if err != nil {
		return nil, err
	}
	call := r.call(ctx, e, p)
	return func() (protocol.TaskCallResult, error) {
		answer, err := call()
		if ctx.Err() != nil {
			return protocol.TaskCallResult{}, ctx.Err()
		}
		if err != nil {
			answer = calls.TextResult("Error: "+r.options.Explain(ctx, err), true)
		}
		r.keep(e)
		return *answer, nil
	}, nil
}

// call queues a call among the requests of the task. A query of mcp_load may wait for its
// embedding, as that of task/load does.
func (r *Requests) call(ctx context.Context, e *tasks.Entry, p *protocol.ConversationCallParams) tasks.Work[*protocol.TaskCallResult] {
	t, _, _ := e.Snapshot()
	wanted, err := calls.ReadRequest(p.Arguments)
	if p.Name != router.LoadName || err != nil || t.Dispatches() {
		return r.options.Calls.Invoke(ctx, e, calls.Call{Name: p.Name, Arguments: p.Arguments, ByHost: true})
	}
	return tasks.InOrder(ctx, e, func() (*protocol.TaskCallResult, error) {
		loaded, err := r.options.Loads.Load(ctx, e, &protocol.TaskLoadParams{
			Task: e.ID, Query: wanted.Query, Names: wanted.Names, Limit: wanted.Limit,
		})
		if err != nil {
			return nil, err
		}
		answer := calls.TextResult(loaded.Text, false)
		answer.Attachment = &loaded.Attachment
		return answer, nil
	})
}

// Had returns how the model of a task knows a tool that it calls, as in the record, or ""
// if unknown.
func (r *Requests) Had(task, name string) string {
	e, err := r.options.Tasks.Look(principal.Local, task)
	if err != nil {
		return ""
	}
	v, t, err := r.options.Tasks.Current(e)
	if err != nil {
		return ""
	}
	id, ok := v.Means(&t, name)
	if !ok {
		return ""
	}
	return calls.Had(&t, id, false)
}

// Answered records that a provider answers a request, which counts from then on.
func (r *Requests) Answered(task string, request int64) {
	r.options.Conversations.Answered(task, request)
}

// Answer records a model's answer to a request and returns what comes next.
func (r *Requests) Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
	if _, err := r.options.Tasks.Get(principal.Local, p.Task); err != nil {
		return protocol.ConversationAnswerResult{}, err
	}
	next, err := r.options.Conversations.Answer(p.Task, p.Request, conversation.Answer{
		Parts: p.Parts, Delivered: chats.PlainIDs(p.Calls), Answers: p.Answers,
	})
	if errors.Is(err, conversations.ErrStale) {
		err = failure.New(protocol.KindContentModified, "Nothing has to be done: the answer is not remembered.", "%v", err)
	}
	if err != nil {
		return protocol.ConversationAnswerResult{}, err
	}
	return protocol.ConversationAnswerResult{Next: next}, nil
}
