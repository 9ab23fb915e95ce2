package calls

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// metaTools answers calls of Winnow's own tools.
type metaTools struct {
	tasks  *tasks.Store
	loader *Loader
}

// call answers a call of one of Winnow's own tools that must be in the task's order. It
// returns nil for any other name.
func (m *metaTools) call(ctx context.Context, e *tasks.Entry, v *router.View, t router.Task, name string, arguments json.RawMessage) *protocol.TaskCallResult {
	switch name {
	case router.LoadName:
		return m.load(ctx, e, v, t, arguments)
	case router.SearchName:
		return m.search(ctx, e, v, t, arguments)
	}
	return nil
}

// misfit answers a call of a meta tool whose arguments cannot be read.
func misfit(err error) *protocol.TaskCallResult {
	return TextResult(fmt.Sprintf("The arguments do not fit: %v", err), true)
}

// readWanted reads the arguments of mcp_search.
func readWanted(arguments json.RawMessage) (f router.Find, err error) {
	err = ownArguments(arguments, map[string]any{"query": &f.Query, "names": &f.Names, "limit": &f.Limit})
	return f, err
}

// inner is a call by mcp_call.
type inner struct {
	Name      string
	Arguments json.RawMessage
}

// readInner reads the arguments of mcp_call.
func readInner(arguments json.RawMessage) (c inner, err error) {
	err = ownArguments(arguments, map[string]any{"name": &c.Name, "arguments": &c.Arguments})
	return c, err
}

// ReadRequest reads the arguments of a call of mcp_load.
func ReadRequest(arguments json.RawMessage) (router.Request, error) {
	return router.ReadRequest(objectOf(arguments))
}

// load answers a call of mcp_load.
func (m *metaTools) load(ctx context.Context, e *tasks.Entry, v *router.View, t router.Task, arguments json.RawMessage) *protocol.TaskCallResult {
	r, err := ReadRequest(arguments)
	if err != nil {
		return misfit(err)
	}
	if t.Dispatches() {
		// A model that calls mcp_load out of habit gets an answer; its list stays.
		return m.find(ctx, e, v, t, router.Find(r))
	}
	loaded := m.loader.load(ctx, e, v, t, r)
	answer := TextResult(loaded.Text, false)
	answer.Attachment = &loaded.Attachment
	return answer
}

// search answers a call of mcp_search.
func (m *metaTools) search(ctx context.Context, e *tasks.Entry, v *router.View, t router.Task, arguments json.RawMessage) *protocol.TaskCallResult {
	w, err := readWanted(arguments)
	if err != nil {
		return misfit(err)
	}
	return m.find(ctx, e, v, t, w)
}

// find answers with the tools found, and attaches none.
func (m *metaTools) find(ctx context.Context, e *tasks.Entry, v *router.View, t router.Task, f router.Find) *protocol.TaskCallResult {
	v = m.loader.options.Vectors(ctx, v, router.FindText(f))
	next, found := v.FindTools(t, f)
	e.Change(next)
	return TextResult(found.Text, false)
}

// Answerable reports whether a call can be answered with what is known, and whether it is
// a search. A refusal counts as an answer.
func Answerable(v *router.View, t *router.Task, name string, arguments json.RawMessage) (known, searches bool) {
	switch name {
	case router.CallName, router.ReadName:
		inner, err := readInner(arguments)
		if err != nil || inner.Name == router.CallName || inner.Name == router.ReadName {
			return true, false
		}
		return Answerable(v, t, inner.Name, inner.Arguments)
	case router.ResultName, router.RunName:
		return true, false
	case router.SearchName, router.LoadName:
		w, err := readWanted(arguments)
		if err != nil {
			return true, false
		}
		_, found := v.FindTools(*t, w)
		return len(found.Tools) > 0, true
	}
	_, err := v.Find(t, name)
	return err == nil, false
}
