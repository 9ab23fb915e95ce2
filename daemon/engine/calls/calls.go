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

// Upstream calls tools of MCP servers. [upstream.Manager] implements it.
type Upstream interface {
	Call(ctx context.Context, r upstream.CallRequest) (*upstream.Result, error)
}

// Options configures a [Caller].
type Options struct {
	Tasks    *tasks.Store
	Upstream Upstream
	// Results stores whole results; if nil, none are stored.
	Results   *results.Store
	Settings  *settings.Store
	Learned   *learned.Learned
	Telemetry *telemetry.Sender
	// Vectors adds to a view the vector of a text to be ranked.
	Vectors Vectors
	// Approved reports whether `alwaysAllow` lets a tool run without confirmation.
	// Approve adds it there.
	Approved func(id router.ToolID) bool
	Approve  func(ctx context.Context, id router.ToolID)
	// Confirmed is called when the user has let a tool run as it is.
	Confirmed func(id router.ToolID)
	// Ask asks the user about a call of a program; nil if no user can be asked.
	Ask func(ctx context.Context, p protocol.ClaimConfirmParams) (bool, error)
	// Passes holds the pairs of servers between which the user lets results pass.
	Passes *Passes
	// Journal records the calls; if nil, none are recorded.
	Journal *journal.Journal
	// Client is the default of [Call.Client].
	Client string
	Now    func() time.Time
	Log    *slog.Logger
}

// Caller decides about the calls of models and runs the tools that they mean.
type Caller struct {
	options Options
	meta    *metaTools
	shaper  *shaper
	// schemas validates the arguments of calls by name.
	schemas arguments.Validator
}

// NewCaller returns a caller, and the loader that it uses.
func NewCaller(o Options) (*Caller, *Loader) {
	loader := &Loader{o}
	shaper := &shaper{tasks: o.Tasks, kept: o.Results, log: o.Log, schemas: new(arguments.Validator)}
	return &Caller{
		options: o, shaper: shaper,
		meta: &metaTools{tasks: o.Tasks, loader: loader},
	}, loader
}

// Task calls a tool on behalf of a task. The call is queued among the requests of the
// task before Task returns.
func (c *Caller) Task(ctx context.Context, p *protocol.TaskCallParams, progress func(upstream.Progress)) (tasks.Work[*protocol.TaskCallResult], error) {
	e, err := c.options.Tasks.Get(principal.Local, p.Task)
	if err != nil {
		return nil, err
	}
	return c.Invoke(ctx, e, Call{Name: p.Name, Arguments: p.Arguments, Progress: progress, WantState: p.WantState, Consent: p.Consent}), nil
}

// Confirm asks the user about a call. An error says why it may not be made.
type Confirm func(ctx context.Context, d Decision) (Answer, error)

// Answer is the user's answer to a [Confirm].
type Answer struct {
	// Asked is false if the user is not to be asked.
	Asked bool
	// Always reports that the tool may run without confirmation from now on.
	Always bool
}

// Call is a call by a model.
type Call struct {
	Name      string
	Arguments json.RawMessage
	// Meta is the `_meta` of the request; may be nil.
	Meta json.RawMessage
	// Caller handles requests that the tool's server makes meanwhile; nil refuses them.
	Caller *upstream.Caller
	// Client is the calling program's own name; empty means the host.
	Client string
	// Confirm asks the user about a call that the policy does not exempt. The model gets
	// the error. If nil, the user is not asked.
	Confirm Confirm
	// Consent is the user's approval, if the user was asked already.
	Consent protocol.CallConsent
	// program reports that a program makes the call. It then fails if the user would have
	// to be asked and cannot be.
	program bool
	// Progress receives the tool's progress notifications; may be nil.
	Progress func(upstream.Progress)
	// WantState requests the task's state if the call changes what is attached.
	WantState bool
	// ByHost reports that the host makes the call itself, even of a tool that Winnow
	// runs, so that its user sees it there. It returns by task/call.
	ByHost bool
}

// Invoke queues a call among the requests of a task. The decision is made in that order.
// The call itself is not, so that a long one does not block other requests.
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

// Decision is the outcome of a call: an immediate answer, a part of a kept result to
// read, or a tool to run.
type Decision struct {
	// answer is the answer of a call that runs nothing.
	answer *protocol.TaskCallResult
	// read answers a call that may take a while. It does not change the task.
	read func(ctx context.Context) *protocol.TaskCallResult
	ID   router.ToolID
	// Tool is nil if the tool no longer exists.
	Tool      *router.Tool
	Arguments json.RawMessage
	// given holds the arguments as the model wrote them if they contain references, and
	// origins what those refer to.
	given   json.RawMessage
	origins []origin
	// once reports that an approval applies to this call alone.
	once bool
	// made holds the sources of a program's result; nil for other calls.
	made []results.Source
	// ofFile reports that the result may be a file, in which whitespace matters.
	ofFile bool
	// Dispatched reports that the call came by mcp_call.
	Dispatched bool
	// host reports that the host makes the call itself; own, that Winnow runs the tool.
	host, own  bool
	attachment *protocol.Attachment
}

// decide determines what a call means. It answers a meta tool directly.
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

// isHosts reports whether the host makes a call: that of a tool of its own list, or any
// call if it wants to see each one.
func isHosts(v *router.View, t router.Task, d Decision, call Call) bool {
	if t.Source == protocol.OwnSource {
		return false
	}
	i, ok := v.Catalog.Lookup(d.ID)
	return call.ByHost || !ok || !v.Catalog.IsOwn(i)
}

// callByName decides about a call by mcp_call. Errors in the call become answers for the
// model, which can correct them.
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

// notRead says why mcp_read does not run a tool. Its clients run every call without
// confirmation, so only tools that a person has seen may run.
func notRead(id router.ToolID) string {
	return fmt.Sprintf("Not called: %s runs only tools that say that they read, once the user has approved of them, allowed them, or named them in alwaysAllow. "+
		"%s of server %s is not one of them yet: call it by %s.", router.ReadName, id.Tool, id.Server, router.CallName)
}

// misfits returns the answer to a call by name whose arguments do not fit the tool's
// schema, or nil if they do. Validation may take a while, because the schema is the
// server's; other requests of the task proceed meanwhile.
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

// hostCall returns the answer that the call is the host's to make. Its content says the
// same, for a host that reads only that.
func (d *Decision) hostCall() *protocol.TaskCallResult {
	answer := TextResult(fmt.Sprintf("%s is a tool of the host. Call it through the host.", d.ID), true)
	answer.Server, answer.Tool, answer.Attachment = d.ID.Server, d.ID.Tool, d.attachment
	answer.Host = &protocol.HostCall{Name: d.ID.Tool, Arguments: d.Arguments}
	if d.Tool != nil {
		answer.Host.Name = d.Tool.Name
	}
	if !ijson.IsObject(d.Arguments) {
		answer.Host.Arguments = json.RawMessage("{}") // the host reports what is missing
	}
	return answer
}

// callTool runs a tool and cuts its result to fit. Other requests of the task proceed
// meanwhile.
func (c *Caller) callTool(ctx context.Context, e *tasks.Entry, d Decision, call Call) (*protocol.TaskCallResult, error) {
	answer, err := c.run(ctx, e, d, call)
	if err != nil {
		if answer = c.shaper.longError(e, d, err); answer == nil {
			return nil, err
		}
	}
	// The offer of mcp_result is queued among the requests of the task.
	return answer, c.shaper.shape(ctx, e, d, answer, func() error {
		_, err := tasks.InOrder(ctx, e, func() (any, error) {
			err := c.shaper.offer(e, answer)
			e.AddState(answer.Attachment, call.WantState)
			return nil, err
		})()
		return err
	})
}

// RunClaim runs a tool by which its server answers a message. asked reports whether the
// user was asked; otherwise a setting allows it. Callers must be in the task's order.
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

// ask runs the tool of a decision and records the use.
func (c *Caller) ask(ctx context.Context, e *tasks.Entry, d Decision, call Call) (*upstream.Result, error) {
	result, err := c.options.Upstream.Call(ctx, upstream.CallRequest{
		Server: d.ID.Server, Tool: d.ID.Tool, Arguments: d.Arguments, Meta: call.Meta, Caller: call.Caller, Principal: e.Principal, Progress: call.Progress,
	})
	if err == nil {
		c.options.Learned.Uses.Record(d.ID)
	}
	return result, err
}

// called records a call in the task and its shadow, and learns from it.
func (c *Caller) called(e *tasks.Entry, id router.ToolID) {
	t := e.Called(id)
	if c.options.Settings.Load().Learn.Loads {
		c.options.Learned.Load(&t, t.Fetched())
	}
}
