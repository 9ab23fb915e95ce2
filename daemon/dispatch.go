package daemon

import (
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// callMeta answers a call of a tool of Winnow's own; nil for any other name.
func (s *Server) callMeta(e *taskEntry, v *router.View, t router.Task, name string, arguments json.RawMessage) *protocol.TaskCallResult {
	switch name {
	case router.LoadName:
		return s.callLoad(e, v, t, arguments)
	case router.SearchName:
		return s.callSearch(e, v, t, arguments)
	case router.ResultName:
		return s.callResultTool(e, v, arguments)
	}
	return nil
}

// misfit answers a call of a meta tool whose arguments cannot be read.
func misfit(err error) *protocol.TaskCallResult {
	return textResult(fmt.Sprintf("The arguments do not fit: %v", err), true)
}

// callLoad answers a call of mcp_load.
func (s *Server) callLoad(e *taskEntry, v *router.View, t router.Task, arguments json.RawMessage) *protocol.TaskCallResult {
	r, err := router.ReadRequest(objectOf(arguments))
	if err != nil {
		return misfit(err)
	}
	loaded := s.load(e, v, t, r)
	answer := textResult(loaded.Text, false)
	answer.Attachment = &loaded.Attachment
	return answer
}

// callSearch answers a call of mcp_search.
func (s *Server) callSearch(e *taskEntry, v *router.View, t router.Task, arguments json.RawMessage) *protocol.TaskCallResult {
	var r struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	if err := decode(objectOf(arguments), &r); err != nil {
		return misfit(err)
	}
	next, found := v.FindTools(t, router.Find{Query: r.Query, Limit: r.Limit})
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
	if answer := s.callMeta(e, v, t, r.Name, r.Arguments); answer != nil {
		return decision{answer: answer}, nil
	}
	tool, err := v.Dispatch(&t, r.Name)
	if err != nil {
		return decision{answer: textResult(router.CallProblem(err), true)}, nil
	}
	d := newDecision(v, tool.ID, r.Arguments)
	d.dispatched = true
	if d.host = t.Source != ownSource; d.host {
		return d, nil
	}
	if problems := s.schemas.Check(tool.Schema, d.arguments); len(problems) > 0 {
		words := make([]string, len(problems))
		for i, p := range problems {
			words[i] = p.String()
		}
		next, text := t.InvalidArguments(tool, words)
		e.change(next)
		d.answer = textResult(text, true)
		d.answer.Server, d.answer.Tool = d.id.Server, d.id.Tool
	}
	return d, nil
}
