package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/winnow-mcp/winnow/daemon/arguments"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/telemetry"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/router"
)

// Upstream runs tools of MCP servers. [upstream.Manager] does.
type Upstream interface {
	Call(ctx context.Context, r upstream.CallRequest) (*upstream.Result, error)
}

// Options are what a [Caller] works with.
type Options struct {
	Tasks    *tasks.Store
	Upstream Upstream
	// Results keeps whole results; nil keeps none.
	Results   *results.Store
	Settings  *settings.Store
	Learned   *learned.Learned
	Telemetry *telemetry.Sender
	// Vectors gives a view the vector of a text that is about to be ranked.
	Vectors Vectors
	// Approved reports whether `alwaysAllow` lets a tool run without asking, and
	// Approve writes that it does.
	Approved func(id router.ToolID) bool
	Approve  func(ctx context.Context, id router.ToolID)
	// Confirmed is told that the user has let a tool run as it is.
	Confirmed func(id router.ToolID)
	// Ask asks the user about a call of a program; nil where no user can be asked.
	Ask func(ctx context.Context, p protocol.ClaimConfirmParams) (bool, error)
	// Passes are the servers between which the user lets results pass.
	Passes *Passes
	// Journal keeps a record of the calls; nil keeps none.
	Journal *journal.Journal
	// Client is the program that calls where [Call.Client] is empty.
	Client string
	Now    func() time.Time
	Log    *slog.Logger
}

// Caller decides about the calls of models and runs what they mean.
type Caller struct {
	options Options
	meta    *metaTools
	shaper  *shaper
	// schemas checks the arguments of calls by name.
	schemas arguments.Validator
}

// NewCaller returns a caller, and what loads tools for it.
func NewCaller(o Options) (*Caller, *Loader) {
	loader := &Loader{o}
	shaper := &shaper{tasks: o.Tasks, kept: o.Results, log: o.Log, schemas: new(arguments.Validator)}
	return &Caller{
		options: o, shaper: shaper,
		meta: &metaTools{tasks: o.Tasks, loader: loader},
	}, loader
}

// Task calls a tool on behalf of a task. The call takes its place among the
// requests of the task before Task returns.
func (c *Caller) Task(ctx context.Context, p *protocol.TaskCallParams, progress func(upstream.Progress)) (tasks.Work[*protocol.TaskCallResult], error) {
	e, err := c.options.Tasks.Get(principal.Local, p.Task)
	if err != nil {
		return nil, err
	}
	return c.Invoke(ctx, e, Call{Name: p.Name, Arguments: p.Arguments, Progress: progress, WantState: p.WantState, Consent: p.Consent}), nil
}

// Confirm asks the user about a call. An error is why it may not be made.
type Confirm func(ctx context.Context, d Decision) (Answer, error)

// Answer is what became of a question.
type Answer struct {
	// Asked is false where the user is not to be asked.
	Asked bool
	// Always: the tool may run from now on without a question.
	Always bool
}

// Call is a call as a model made it.
type Call struct {
	Name      string
	Arguments json.RawMessage
	// Meta is the `_meta` of the request; it may be nil.
	Meta json.RawMessage
	// Caller is whom the tool's server may ask meanwhile; nil is nobody.
	Caller *upstream.Caller
	// Client is the program that calls, as it names itself; empty is the host.
	Client string
	// Confirm asks the user about a call that the policy does not spare; the error
	// is told to the model. nil asks nobody.
	Confirm Confirm
	// Consent is the user's yes, where the user was asked already.
	Consent protocol.CallConsent
	// program: a program makes the call, so that it is not made where the user would
	// be asked and cannot be.
	program bool
	// Progress receives what the tool reports; it may be nil.
	Progress func(upstream.Progress)
	// WantState asks for the task's state where the call changes what is
	// attached.
	WantState bool
	// ByHost: the host makes the call, whoever runs the tool, since its user is to
	// see it there; it comes back by task/call.
	ByHost bool
}

// Invoke takes a place among the requests of a task for a call. The decision is
// made in that order; the call itself is not, so that a long one holds up
// nothing.
func (c *Caller) Invoke(ctx context.Context, e *tasks.Entry, call Call) tasks.Work[*protocol.TaskCallResult] {
	decide := tasks.InOrder(ctx, e, func() (Decision, error) {
		d, err := c.decide(ctx, e, call)
		e.AddState(d.attachment, call.WantState)
		if d.answer != nil {
			e.AddState(d.answer.Attachment, call.WantState)
		}
		return d, err
	})
	return func() (*protocol.TaskCallResult, error) {
		d, err := decide()
		switch {
		case err != nil || d.answer != nil:
			return d.answer, err
		case d.host && !d.own && c.shaper.refers(ctx, e, d):
			return d.refused(errHosts), nil
		case d.host:
			return d.hostCall(), nil
		case d.read != nil:
			return d.read(ctx), ctx.Err()
		}
		if d, err = c.shaper.resolve(ctx, e, d, false); err != nil {
			return d.refused(fmt.Errorf("not called: %w", err)), ctx.Err()
		}
		if d.Dispatched || d.origins != nil && d.Tool != nil {
			if answer, err := c.misfits(ctx, e, d); err != nil || answer != nil {
				return answer, err
			}
		}
		return c.callTool(ctx, e, d, call)
	}
}

// Decision is what becomes of a call: an answer at once, a part of a kept
// result to read, or a tool to run.
type Decision struct {
	// answer is that of a call that runs nothing.
	answer *protocol.TaskCallResult
	// read may take a while, and leaves the task as it is.
	read func(ctx context.Context) *protocol.TaskCallResult
	ID   router.ToolID
	// Tool is nil for one that is gone.
	Tool      *router.Tool
	Arguments json.RawMessage
	// given are the arguments as the model wrote them, where they refer to
	// results, and origins what they refer to.
	given   json.RawMessage
	origins []origin
	// once: a yes to it is for this call alone.
	once bool
	// made are the tools of which the result of a program is made; not nil for one.
	made []results.Source
	// ofFile: such a result may be of a file, of which each blank counts.
	ofFile bool
	// Dispatched: the call came by mcp_call.
	Dispatched bool
	// host: the host makes the call itself; own: the tool is one that Winnow runs.
	host, own  bool
	attachment *protocol.Attachment
}

// decide finds out what a call means. A meta tool is answered here.
func (c *Caller) decide(ctx context.Context, e *tasks.Entry, call Call) (Decision, error) {
	v, t, err := c.options.Tasks.Current(e)
	if err != nil {
		return Decision{}, err
	}
	if call.Name == router.CallName || call.Name == router.ReadName {
		return c.callByName(ctx, e, v, t, call)
	}
	if call.Name == router.ResultName {
		return Decision{read: c.shaper.reader(e, v, call.Arguments)}, nil
	}
	if call.Name == router.RunName {
		return Decision{read: (&programRun{caller: c, task: e, outer: call}).answer(v)}, nil
	}
	if answer := c.meta.call(ctx, e, v, t, call.Name, call.Arguments); answer != nil {
		return Decision{answer: answer}, nil
	}
	next, decided, err := v.Call(t, call.Name)
	if err != nil {
		return Decision{}, err
	}
	d := newDecision(v, decided.ID, call.Arguments)
	e.Change(next)
	if next.Generation != t.Generation {
		a := v.Attachment(&next)
		d.attachment = &a
	}
	if decided.Action == router.Retry {
		d.answer = TextResult(decided.Text, true)
		d.answer.Server, d.answer.Tool, d.answer.Attachment = d.ID.Server, d.ID.Tool, d.attachment
		return d, nil
	}
	d.host = isHosts(v, t, d, call)
	return d, nil
}

// isHosts reports whether the host makes a call: that of a tool of its own list,
// and where it wants to see each call, of any.
func isHosts(v *router.View, t router.Task, d Decision, call Call) bool {
	if t.Source == protocol.OwnSource {
		return false
	}
	i, ok := v.Catalog.Lookup(d.ID)
	return call.ByHost || !ok || !v.Catalog.IsOwn(i)
}

// callByName decides about a call by mcp_call. What is wrong with it is an
// answer for the model, which can mend it.
func (c *Caller) callByName(ctx context.Context, e *tasks.Entry, v *router.View, t router.Task, call Call) (Decision, error) {
	r, err := readInner(call.Arguments)
	if err != nil {
		return Decision{answer: misfit(err)}, nil
	}
	if r.Name == router.ResultName {
		return Decision{read: c.shaper.reader(e, v, r.Arguments)}, nil
	}
	if r.Name == router.RunName && call.Name == router.CallName {
		call.Arguments = r.Arguments
		return Decision{read: (&programRun{caller: c, task: e, outer: call}).answer(v)}, nil
	}
	if answer := c.meta.call(ctx, e, v, t, r.Name, r.Arguments); answer != nil {
		return Decision{answer: answer}, nil
	}
	next, decided, err := v.Dispatch(t, r.Name)
	if err != nil {
		return Decision{answer: TextResult(router.CallProblem(err), true)}, nil
	}
	d := newDecision(v, decided.ID, r.Arguments)
	d.Dispatched = true
	if call.Name == router.ReadName && !c.onlyReads(d) {
		d.answer = TextResult(notRead(d.ID), true)
		return d, nil
	}
	d.host = isHosts(v, t, d, call)
	if decided.Action == router.Retry {
		e.Change(next)
		d.answer = TextResult(decided.Text, true)
	} else if d.host {
		return d, nil
	}
	if d.answer != nil {
		d.answer.Server, d.answer.Tool = d.ID.Server, d.ID.Tool
	}
	return d, nil
}

// notRead says why mcp_read does not run a tool: its client runs whatever comes
// by that name, so nothing may that a person has not seen.
func notRead(id router.ToolID) string {
	return fmt.Sprintf("Not called: %s runs only tools that say that they read, once the user has approved of them, allowed them, or named them in alwaysAllow. "+
		"%s of server %s is not one of them yet: call it by %s.", router.ReadName, id.Tool, id.Server, router.CallName)
}

// misfits answers a call by name whose arguments do not fit the tool's schema;
// nil for one that may be made. The schema is the server's, and to check by it
// may take a while: other requests of the task go on meanwhile.
func (c *Caller) misfits(ctx context.Context, e *tasks.Entry, d Decision) (*protocol.TaskCallResult, error) {
	problems, err := c.schemas.Check(ctx, d.Tool.Schema, d.Arguments)
	if err != nil || len(problems) == 0 {
		return nil, err
	}
	words := make([]string, len(problems))
	for i, p := range problems {
		words[i] = p.String()
	}
	return tasks.InOrder(ctx, e, func() (*protocol.TaskCallResult, error) {
		t, _, _ := e.Snapshot()
		next, text := t.InvalidArguments(d.Tool, words)
		e.Change(next)
		answer := TextResult(text, true)
		answer.Server, answer.Tool = d.ID.Server, d.ID.Tool
		return answer, nil
	})()
}

// newDecision returns the decision to run a tool.
func newDecision(v *router.View, id router.ToolID, arguments json.RawMessage) Decision {
	d := Decision{ID: id, Arguments: objectOf(arguments)}
	if i, ok := v.Catalog.Lookup(id); ok {
		d.Tool, d.own = &v.Catalog.Tools[i], v.Catalog.IsOwn(i)
	}
	return d
}

// hostCall answers that the call is the host's to make. A host that only looks
// for content reads the same there.
func (d *Decision) hostCall() *protocol.TaskCallResult {
	answer := TextResult(fmt.Sprintf("%s is a tool of the host. Call it through the host.", d.ID), true)
	answer.Server, answer.Tool, answer.Attachment = d.ID.Server, d.ID.Tool, d.attachment
	answer.Host = &protocol.HostCall{Name: d.ID.Tool, Arguments: d.Arguments}
	if d.Tool != nil {
		answer.Host.Name = d.Tool.Name
	}
	if !ijson.IsObject(d.Arguments) {
		answer.Host.Arguments = json.RawMessage("{}") // the host says what it misses
	}
	return answer
}

// callTool runs a tool and cuts its result to fit. Other requests of the task
// go on meanwhile.
func (c *Caller) callTool(ctx context.Context, e *tasks.Entry, d Decision, call Call) (*protocol.TaskCallResult, error) {
	answer, err := c.run(ctx, e, d, call)
	if err != nil {
		if answer = c.shaper.longError(e, d, err); answer == nil {
			return nil, err
		}
	}
	// Among the requests of the task, the offer of mcp_result takes its turn.
	return answer, c.shaper.shape(ctx, e, d, answer, func() error {
		_, err := tasks.InOrder(ctx, e, func() (any, error) {
			err := c.shaper.offer(e, answer)
			e.AddState(answer.Attachment, call.WantState)
			return nil, err
		})()
		return err
	})
}

// RunClaim runs a tool by which its server answers a message, as the user, who
// was asked or has said so by a setting, lets it. The caller is in the task's
// order.
func (c *Caller) RunClaim(ctx context.Context, e *tasks.Entry, claim *router.Claim, asked bool) (*protocol.TaskCallResult, error) {
	tool, call := *claim.Tool, Call{Consent: protocol.ConsentOnce}
	if !asked {
		call.Consent = ""
		if !tool.Lock.Vouched {
			c.options.Confirmed(tool.ID)
			tool.Lock.Vouched = true
		}
	}
	d := Decision{ID: tool.ID, Tool: &tool, Arguments: claim.Arguments}
	result, err := c.run(ctx, e, d, call)
	if err != nil {
		return nil, err
	}
	return result, c.shaper.shape(ctx, e, d, result, func() error { return c.shaper.offer(e, result) })
}

// run runs a tool of an upstream server.
func (c *Caller) run(ctx context.Context, e *tasks.Entry, d Decision, call Call) (*protocol.TaskCallResult, error) {
	if !ijson.IsObject(d.Arguments) {
		return nil, failure.New(protocol.KindInvalidArgument, "Give the arguments as a JSON object.",
			"the arguments of %s are not an object", d.ID).OfTool(d.ID.Server, d.ID.Tool)
	}
	r := c.record(e, d, call)
	asked, err := c.confirm(ctx, e, d, call)
	if asked {
		r.entry.By = byUser
	}
	if err != nil {
		r.refused(err)
		answer := TextResult(err.Error(), true)
		answer.Server, answer.Tool, answer.Attachment = d.ID.Server, d.ID.Tool, d.attachment
		return answer, nil
	}
	if err := r.begin(ctx, d.Tool != nil && d.Tool.OnlyReads()); err != nil {
		return nil, failure.New(protocol.KindUnavailable, "Try again later.", "%v", err).OfTool(d.ID.Server, d.ID.Tool)
	}
	result, err := c.ask(ctx, e, d, call)
	r.end(ctx, result, err)
	if err != nil {
		return nil, err
	}
	c.called(e, d.ID)
	answer, err := callResult(result)
	if err != nil {
		return nil, &upstream.CallError{
			Server: d.ID.Server, What: fmt.Sprintf("tool %q", d.ID.Tool), Cause: fmt.Errorf("its answer is not a result: %w", err),
		}
	}
	answer.Server, answer.Tool, answer.Attachment = d.ID.Server, d.ID.Tool, d.attachment
	return answer, nil
}

// ask runs the tool of a decision and notes the use.
func (c *Caller) ask(ctx context.Context, e *tasks.Entry, d Decision, call Call) (*upstream.Result, error) {
	result, err := c.options.Upstream.Call(ctx, upstream.CallRequest{
		Server: d.ID.Server, Tool: d.ID.Tool, Arguments: d.Arguments, Meta: call.Meta, Caller: call.Caller, Principal: e.Principal, Progress: call.Progress,
	})
	if err == nil {
		c.options.Learned.Uses.Record(d.ID)
	}
	return result, err
}

// called notes a call in the task and its shadow, and learns from it.
func (c *Caller) called(e *tasks.Entry, id router.ToolID) {
	t := e.Called(id)
	if c.options.Settings.Load().Learn.Loads {
		c.options.Learned.Load(&t, t.Fetched())
	}
}
