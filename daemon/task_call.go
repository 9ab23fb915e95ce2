package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/ijson"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// taskCall answers task/call.
func (s *Server) taskCall(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := read[protocol.TaskCallParams](params)
	if err != nil {
		return nil, err
	}
	e, err := s.tasks.get(p.Task)
	if err != nil {
		return nil, err
	}
	work := s.invoke(ctx, e, toolCall{name: p.Name, arguments: p.Arguments, progress: s.callProgress(p.ProgressToken)})
	return later(func() (any, error) { return work() }), nil
}

// toolCall is a call as a model made it.
type toolCall struct {
	name      string
	arguments json.RawMessage
	// meta is the `_meta` of the request; it may be nil.
	meta json.RawMessage
	// caller is whom the tool's server may ask meanwhile; nil is nobody.
	caller *upstream.Caller
	// allow asks whether the tool may run; what it returns is told to the
	// model. nil allows all.
	allow func(ctx context.Context, d decision) error
	// progress receives what the tool reports; it may be nil.
	progress func(upstream.Progress)
}

// invoke takes a place in the task's lane for a call. The decision is made in
// the lane; the call itself is not, so that a long one holds up nothing.
func (s *Server) invoke(ctx context.Context, e *taskEntry, c toolCall) func() (*protocol.TaskCallResult, error) {
	decide := e.inLane(ctx, func() (any, error) { return s.decide(e, c) })
	return func() (*protocol.TaskCallResult, error) {
		decided, err := decide()
		if err != nil {
			return nil, err
		}
		d, ok := decided.(decision)
		if !ok || d.answer != nil {
			return d.answer, nil
		}
		if d.read != nil {
			return d.read(ctx), ctx.Err()
		}
		return s.callTool(ctx, e, d, c)
	}
}

// decision is what becomes of a call: an answer at once, a part of a kept
// result to read, or a tool to run.
type decision struct {
	answer *protocol.TaskCallResult
	// read may take a while, and leaves the task as it is.
	read func(ctx context.Context) *protocol.TaskCallResult
	id   router.ToolID
	// tool is nil for one that is gone.
	tool      *router.Tool
	arguments json.RawMessage
	// scope names what the answer may be shared in.
	scope string
	// dispatched: the call came by mcp_call.
	dispatched bool
	attachment *protocol.Attachment
}

// decide finds out what a call means. A meta tool is answered here.
func (s *Server) decide(e *taskEntry, c toolCall) (decision, error) {
	v, t, err := s.viewOf(e)
	if err != nil {
		return decision{}, err
	}
	if c.name == router.CallName {
		return s.callByName(e, v, t, c.arguments)
	}
	if c.name == router.ResultName {
		return decision{read: s.resultReader(e, v, c.arguments)}, nil
	}
	if answer := s.callMeta(e, v, t, c.name, c.arguments); answer != nil {
		return decision{answer: answer}, nil
	}
	next, decided, err := v.Call(t, c.name)
	if err != nil {
		return decision{}, err
	}
	d := newDecision(v, decided.ID, c.arguments)
	e.change(next)
	if next.Generation != t.Generation {
		a := v.Attachment(&next)
		d.attachment = &a
	}
	if decided.Action == router.Retry {
		d.answer = textResult(decided.Text, true)
		d.answer.Server, d.answer.Tool, d.answer.Attachment = d.id.Server, d.id.Tool, d.attachment
		return d, nil
	}
	return d, hostTool(&t, d.id)
}

// newDecision returns the decision to run a tool.
func newDecision(v *router.View, id router.ToolID, arguments json.RawMessage) decision {
	d := decision{id: id, arguments: objectOf(arguments), scope: fmt.Sprintf("%d %s", v.Catalog.Version, v.Mode.Slug)}
	if i, ok := v.Catalog.Lookup(id); ok {
		d.tool = &v.Catalog.Tools[i]
	}
	return d
}

// hostTool refuses a tool that the host runs itself.
func hostTool(t *router.Task, id router.ToolID) error {
	if t.Source == ownSource {
		return nil
	}
	f := fail(protocol.KindHostTool, "Call it through the host.", "%s is a tool of the host %q", id, t.Source)
	f.data.Server, f.data.Tool = id.Server, id.Tool
	return f
}

// callTool runs a tool and cuts its result to fit. The task's lane is free
// meanwhile.
func (s *Server) callTool(ctx context.Context, e *taskEntry, d decision, c toolCall) (*protocol.TaskCallResult, error) {
	answer, err := s.runTool(ctx, e, d, c)
	if err != nil {
		return nil, err
	}
	// Among the requests of the task, the offer of mcp_result takes its turn.
	return answer, s.shape(e, answer, func() error {
		_, err := e.inLane(ctx, func() (any, error) { return nil, s.offerResult(e, answer) })()
		return err
	})
}

// runTool runs a tool of an upstream server.
func (s *Server) runTool(ctx context.Context, e *taskEntry, d decision, c toolCall) (*protocol.TaskCallResult, error) {
	if !json.Valid(d.arguments) || d.arguments[0] != '{' {
		f := fail(protocol.KindInvalidArgument, "Give the arguments as a JSON object.",
			"the arguments of %s are not an object", d.id)
		f.data.Server, f.data.Tool = d.id.Server, d.id.Tool
		return nil, f
	}
	if c.allow != nil {
		if err := c.allow(ctx, d); err != nil {
			answer := textResult(err.Error(), true)
			answer.Server, answer.Tool, answer.Attachment = d.id.Server, d.id.Tool, d.attachment
			return answer, nil
		}
	}
	result, err := s.workspace.ask(ctx, d, c)
	if err != nil {
		return nil, err
	}
	s.called(e, d.id)
	answer, err := callResult(result)
	if err != nil {
		return nil, &upstream.CallError{
			Server: d.id.Server, What: fmt.Sprintf("tool %q", d.id.Tool), Cause: fmt.Errorf("its answer is not a result: %w", err),
		}
	}
	answer.Server, answer.Tool, answer.Attachment = d.id.Server, d.id.Tool, d.attachment
	return answer, nil
}

// called notes a call in the task and its shadow, and learns from it.
func (s *Server) called(e *taskEntry, id router.ToolID) {
	t := e.called(id)
	s.workspace.learn(&t, t.Fetched())
}

// called notes a call in the task and its shadow, and returns the task.
func (e *taskEntry) called(id router.ToolID) router.Task {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.task = e.task.Call(id)
	e.shadowCall(id)
	return e.task
}

// callResult reads an MCP CallToolResult. Content blocks are kept as they
// came, but for those that no host can read.
func callResult(r *upstream.Result) (*protocol.TaskCallResult, error) {
	var wire struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		Meta              json.RawMessage   `json:"_meta"`
	}
	if err := json.Unmarshal(r.Raw, &wire); err != nil {
		return nil, err
	}
	return &protocol.TaskCallResult{
		Content:           readable(wire.Content),
		IsError:           r.IsError,
		StructuredContent: wire.StructuredContent,
		Meta:              wire.Meta,
	}, nil
}

// readable returns content in which whatever is no block of MCP's, such as null
// or a text that is a number, stands as text: what hosts take for granted of a
// block is so, and nothing of the answer is lost.
func readable(content []json.RawMessage) []json.RawMessage {
	for i, raw := range content {
		var block struct {
			Type, Text, Data, MIMEType, URI, Name string
			Resource                              *struct{ URI, MIMEType, Text, Blob string }
		}
		if err := json.Unmarshal(raw, &block); err != nil || block.Type == "" {
			content[i] = textBlock(string(raw))
		}
	}
	return content
}

func textBlock(text string) json.RawMessage {
	return json.RawMessage(mustMarshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text}))
}

// textResult is an answer of the daemon's own.
func textResult(text string, isError bool) *protocol.TaskCallResult {
	return &protocol.TaskCallResult{Content: []json.RawMessage{textBlock(text)}, IsError: isError}
}

// objectOf returns arguments as an object. Models send none, null, or an
// object that is wrapped in a string.
func objectOf(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 || string(arguments) == "null" {
		return json.RawMessage("{}")
	}
	var inner string
	if json.Unmarshal(arguments, &inner) != nil {
		return arguments
	}
	if object, err := ijson.Normalize([]byte(inner)); err == nil {
		return object
	}
	return arguments
}
