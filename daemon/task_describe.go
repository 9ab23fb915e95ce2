package daemon

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// taskDescribeCall answers task/describeCall. It changes nothing. A call that
// would be refused is refused here the same way, except where the refusal is
// an answer for the model: such a call runs no tool.
func (s *Server) taskDescribeCall(_ context.Context, e *taskEntry, p *protocol.TaskDescribeCallParams) (protocol.TaskDescribeCallResult, error) {
	v, t, err := s.viewOf(e)
	if err != nil {
		return protocol.TaskDescribeCallResult{}, err
	}
	name, arguments := p.Name, p.Arguments
	if name == router.CallName {
		var inner struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if decode(objectOf(arguments), &inner) != nil {
			return protocol.TaskDescribeCallResult{Meta: true}, nil
		}
		_, decided, err := v.Dispatch(t, inner.Name)
		if err != nil || decided.Action == router.Retry {
			return protocol.TaskDescribeCallResult{Meta: true}, nil
		}
		return s.describeCall(newDecision(v, decided.ID, inner.Arguments)), nil
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
	return s.describeCall(newDecision(v, decided.ID, arguments)), nil
}

// isMeta tells whether a name is that of a tool which callMeta answers.
func isMeta(name string) bool {
	return slices.Contains([]string{router.LoadName, router.SearchName, router.ResultName}, name)
}

func (s *Server) describeCall(d decision) protocol.TaskDescribeCallResult {
	r := protocol.TaskDescribeCallResult{Server: d.id.Server, Tool: d.id.Tool, Arguments: d.arguments}
	if d.tool != nil {
		r.Title, r.ReadOnly = d.tool.Title, d.tool.ReadOnly == ranker.Yes
	}
	if server, ok := s.workspace.state().config.Server(d.id.Server); ok {
		allowed := server.Policy.AlwaysAllow
		r.Approved = slices.Contains(allowed, d.id.Tool) || slices.Contains(allowed, "*")
	}
	return r
}
