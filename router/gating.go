package router

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxVerdicts is the most verdicts read of one server for one message.
const maxVerdicts = 1000

// GatingAnswer is one server's answer about a message.
type GatingAnswer struct {
	Server string
	// Text is the answer, `{"verdicts":[{"tool","action","arguments"?}]}`.
	Text string
}

// GatingServers returns the servers to call about a message of the task: those that the
// daemon runs, that offer gating, and whose tools it may have. With `searchTurns: 0`
// there are none.
func (v *admission) GatingServers(t *Task) []string {
	if v.Settings.SearchTurns == 0 {
		return nil
	}
	var names []string
	for s := range v.Catalog.Servers {
		if server := &v.Catalog.Servers[s]; server.OffersGating && (server.Own || !v.Catalog.verbatim) && server.Unavailable == "" && v.countServer(t, s) > 0 {
			names = append(names, server.Name)
		}
	}
	return names
}

// ReadGating reads the servers' answers. A server decides about its own tools only, so
// names are looked up among these alone.
func (v *answering) ReadGating(t *Task, answers []GatingAnswer) *Gating {
	g := &Gating{excluded: map[ToolID]bool{}}
	var claims []Claim
	for _, answer := range answers {
		for _, said := range parseVerdicts(answer) {
			claim := v.judge(t, g, answer.Server, said)
			if claim != nil {
				claims = append(claims, *claim)
			}
		}
	}
	switch len(claims) {
	case 0:
	case 1:
		g.Claim = &claims[0]
	default:
		g.contest()
	}
	return g
}

// verdict is one verdict in the server's wire form.
type verdict struct {
	Tool      string                `json:"tool"`
	Action    protocol.GatingAction `json:"action"`
	Arguments json.RawMessage       `json:"arguments"`
}

// parseVerdicts reads an answer. It returns nil if the answer cannot be read.
func parseVerdicts(answer GatingAnswer) []verdict {
	var wire struct {
		Verdicts []verdict `json:"verdicts"`
	}
	if json.Unmarshal([]byte(answer.Text), &wire) != nil {
		return nil
	}
	return wire.Verdicts[:min(len(wire.Verdicts), maxVerdicts)]
}

// judge applies one verdict or records why it is ignored. It returns the claim, if there
// is a valid one.
func (v *answering) judge(t *Task, g *Gating, server string, said verdict) *Claim {
	report := protocol.GatingVerdict{Server: server, Tool: said.Tool, Action: said.Action}
	defer func() { g.Verdicts = append(g.Verdicts, report) }()
	i, ok := v.Catalog.Lookup(ToolID{Server: server, Tool: said.Tool})
	if !ok {
		report.Ignored = "the server has no such tool"
		return nil
	}
	tool := &v.Catalog.Tools[i]
	switch said.Action {
	case protocol.GatingExclude:
		if report.Ignored = v.cannotExclude(t, i); report.Ignored == "" {
			g.excluded[tool.ID] = true
		}
	case protocol.GatingClaim:
		arguments := said.Arguments
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		if err := v.callable(t, i); err != nil {
			report.Ignored = err.Error()
		} else if !isObject(arguments) {
			report.Ignored = "its arguments are no object"
		} else {
			return &Claim{Tool: tool, Arguments: arguments}
		}
	default:
		report.Ignored = "there is no such action"
	}
	return nil
}

// cannotExclude returns why a server may not exclude a tool, or "" if it may.
func (v *answering) cannotExclude(t *Task, tool int) string {
	id := v.Catalog.Tools[tool].ID
	switch {
	case t.Has(id) >= 0 && v.Settings.Strategy != protocol.StrategyTopK: // which attaches afresh
		return "it is attached already"
	case v.userPinned(t, tool) || v.Catalog.Tools[tool].AlwaysLoad:
		return "it is pinned"
	case slices.Contains(t.Called, id):
		return "the task has called it"
	}
	return ""
}

// contest marks all claims as ignored, because several contradict each other.
func (g *Gating) contest() {
	var claimed []string
	for _, said := range g.Verdicts {
		if said.Action == protocol.GatingClaim && said.Ignored == "" {
			claimed = append(claimed, said.Server+"/"+said.Tool)
		}
	}
	why := "more than one tool claims the message: " + strings.Join(claimed, ", ")
	for i := range g.Verdicts {
		if said := &g.Verdicts[i]; said.Action == protocol.GatingClaim && said.Ignored == "" {
			said.Ignored = why
		}
	}
}
