package calls

import (
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// metaTools answers calls of the tools of Winnow's own.
type metaTools struct {
	tasks  *tasks.Store
	loader *Loader
	shaper *shaper
}

// call answers a call of a tool of Winnow's own; nil for any other name.
func (m *metaTools) call(e *tasks.Entry, v *router.View, t router.Task, name string, arguments json.RawMessage) *protocol.TaskCallResult {
	switch name {
	case router.LoadName:
		return m.load(e, v, t, arguments)
	case router.SearchName:
		return m.search(e, v, t, arguments)
	case router.ResultName:
		return m.shaper.read(e, v, arguments)
	}
	return nil
}

// misfit answers a call of a meta tool whose arguments cannot be read.
func misfit(err error) *protocol.TaskCallResult {
	return TextResult(fmt.Sprintf("The arguments do not fit: %v", err), true)
}

// load answers a call of mcp_load.
func (m *metaTools) load(e *tasks.Entry, v *router.View, t router.Task, arguments json.RawMessage) *protocol.TaskCallResult {
	var r struct {
		Query string   `json:"query"`
		Names []string `json:"names"`
		Limit int      `json:"limit"`
	}
	if err := codec.Unmarshal(objectOf(arguments), &r); err != nil {
		return misfit(err)
	}
	loaded := m.loader.load(e, v, t, router.Request{Query: r.Query, Names: r.Names, Limit: r.Limit})
	answer := TextResult(loaded.Text, false)
	answer.Attachment = &loaded.Attachment
	return answer
}

// search answers a call of mcp_search.
func (*metaTools) search(e *tasks.Entry, v *router.View, t router.Task, arguments json.RawMessage) *protocol.TaskCallResult {
	var r struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	if err := codec.Unmarshal(objectOf(arguments), &r); err != nil {
		return misfit(err)
	}
	next, found := v.FindTools(t, router.Find{Query: r.Query, Limit: r.Limit})
	e.Change(next)
	return TextResult(found.Text, false)
}
