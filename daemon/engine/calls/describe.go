package calls

import (
	"context"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// Describe says what a call would run, and changes nothing. It refuses what a call would
// refuse, except if the refusal is an answer for the model: such a call runs no tool.
func (c *Caller) Describe(e *tasks.Entry, p *protocol.TaskDescribeCallParams) (protocol.TaskDescribeCallResult, error) {
	v, t, err := c.options.Tasks.Current(e)
	if err != nil {
		return protocol.TaskDescribeCallResult{}, err
	}
	name, arguments := p.Name, p.Arguments
	if name == router.CallName || name == router.ReadName {
		inner, err := readInner(arguments)
		if err != nil {
			return protocol.TaskDescribeCallResult{Meta: true}, nil
		}
		_, decided, err := v.Dispatch(t, inner.Name)
		if err != nil || decided.Action == router.Retry {
			return protocol.TaskDescribeCallResult{Meta: true}, nil
		}
		return c.describe(e, v, t, newDecision(v, decided.ID, inner.Arguments)), nil
	}
	if isMeta(name) {
		return protocol.TaskDescribeCallResult{Meta: true}, nil
	}
	_, decided, err := v.Call(t, name)
	if err != nil {
		return protocol.TaskDescribeCallResult{}, err
	}
	if decided.Action == router.Retry {
		return protocol.TaskDescribeCallResult{Meta: true}, nil
	}
	return c.describe(e, v, t, newDecision(v, decided.ID, arguments)), nil
}

// isMeta reports whether name is that of a tool which [metaTools] answers.
func isMeta(name string) bool {
	return slices.Contains([]string{router.LoadName, router.SearchName, router.ResultName, router.RunName}, name)
}

func (c *Caller) describe(e *tasks.Entry, v *router.View, t router.Task, d Decision) protocol.TaskDescribeCallResult {
	r := protocol.TaskDescribeCallResult{Host: isHosts(v, t, d, Call{}), Server: d.ID.Server, Tool: d.ID.Tool, Arguments: d.Arguments}
	if d.Tool != nil {
		r.Title, r.ReadOnly = d.Tool.Title, d.Tool.ReadOnly == ranker.Yes
	}
	if d, err := c.shaper.resolve(context.Background(), e, d, true); err == nil {
		r.Passed, r.Confirm = d.Passed(), c.spares(e, d) == ""
		if also := d.Remembered(true); r.Confirm && also != "" {
			r.Passed += " " + also
		}
		r.Approved = c.allowed(d) && !r.Confirm
		return r
	}
	r.Approved, r.Confirm = c.allowed(d), c.spares(e, d) == ""
	return r
}
