package daemon

import (
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// callMeta answers a call of a tool of Winnow's own that belongs into the
// task's lane; nil for any other name.
func (s *Server) callMeta(e *taskEntry, v *router.View, t router.Task, name string, arguments json.RawMessage) *protocol.TaskCallResult {
	switch name {
	case router.LoadName:
		return s.callLoad(e, v, t, arguments)
	case router.SearchName:
		return s.callSearch(e, v, t, arguments)
	}
	return nil
}

// misfit answers a call of a meta tool whose arguments cannot be read.
func misfit(err error) *protocol.TaskCallResult {
	return textResult(fmt.Sprintf("The arguments do not fit: %v", err), true)
}

// searchArguments are what a model asks mcp_load or mcp_search for.
type searchArguments struct {
	Query string   `json:"query"`
	Names []string `json:"names"`
	Limit int      `json:"limit"`
}

// callLoad answers a call of mcp_load.
func (s *Server) callLoad(e *taskEntry, v *router.View, t router.Task, arguments json.RawMessage) *protocol.TaskCallResult {
	var r searchArguments
	if err := decode(objectOf(arguments), &r); err != nil {
		return misfit(err)
	}
	if t.Dispatches() {
		// Whoever calls it from habit gets what it wants, and the list stays as it is.
		return s.find(e, v, t, router.Find(r))
	}
	loaded := s.load(e, v, t, router.Request(r))
	answer := textResult(loaded.Text, false)
	answer.Attachment = &loaded.Attachment
	return answer
}

// callSearch answers a call of mcp_search.
func (s *Server) callSearch(e *taskEntry, v *router.View, t router.Task, arguments json.RawMessage) *protocol.TaskCallResult {
	var r searchArguments
	if err := decode(objectOf(arguments), &r); err != nil {
		return misfit(err)
	}
	return s.find(e, v, t, router.Find(r))
}

// find tells a model of tools, and attaches none.
func (s *Server) find(e *taskEntry, v *router.View, t router.Task, f router.Find) *protocol.TaskCallResult {
	next, found := v.FindTools(t, f)
	e.change(next)
	return textResult(found.Text, false)
}

// callByName decides about a call by mcp_call. What is wrong with it is an
// answer for the model, which can mend it.
func (s *Server) callByName(e *taskEntry, v *router.View, t router.Task, arguments json.RawMessage) (decision, error) {
	var r struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := decode(objectOf(arguments), &r); err != nil {
		return decision{answer: misfit(err)}, nil
	}
	if r.Name == router.ResultName {
		return decision{read: s.resultReader(e, v, r.Arguments)}, nil
	}
	if answer := s.callMeta(e, v, t, r.Name, r.Arguments); answer != nil {
		return decision{answer: answer}, nil
	}
	next, decided, err := v.Dispatch(t, r.Name)
	if err != nil {
		return decision{answer: textResult(router.CallProblem(err), true)}, nil
	}
	d := newDecision(v, decided.ID, r.Arguments)
	d.dispatched = true
	if decided.Action == router.Retry {
		e.change(next)
		d.answer = textResult(decided.Text, true)
	} else if err := hostTool(&t, d.id); err != nil {
		return d, err
	} else if problems := s.schemas.Check(d.tool.Schema, d.arguments); len(problems) > 0 {
		words := make([]string, len(problems))
		for i, p := range problems {
			words[i] = p.String()
		}
		next, text := next.InvalidArguments(d.tool, words)
		e.change(next)
		d.answer = textResult(text, true)
	}
	if d.answer != nil {
		d.answer.Server, d.answer.Tool = d.id.Server, d.id.Tool
	}
	return d, nil
}
