package router

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// GatingName is the tool by which a server says which of its own tools matter
// for a message. No model is told of it.
const GatingName = "_tool_gating"

// maxVerdicts bounds what one server may say about one message.
const maxVerdicts = 1000

// GatingAnswer is what one server said about a message.
type GatingAnswer struct {
	Server string
	// Text is the answer, `{"verdicts":[{"tool","action","arguments"?}]}`.
	Text string
}

// Gating is what the servers said about one message. It is not changed once it
// is in a view.
type Gating struct {
	// Verdicts are all that was said, and what became of it.
	Verdicts []protocol.GatingVerdict
	// Claim is the tool whose result is to be the answer of the turn; nil
	// when no server claimed the message, or more than one did.
	Claim *Claim

	excluded map[ToolID]bool
}

// Claim is a tool that its server wants to answer a message.
type Claim struct {
	Tool      *Tool
	Arguments json.RawMessage
}

// GatingServers returns the servers that want to be asked about a message of
// the task: those that the daemon runs, and of which it may have tools. With
// `searchTurns: 0` none is.
func (v *View) GatingServers(t *Task) []string {
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

// ReadGating reads what servers said. A server speaks for its own tools only: a name
// is looked for among these and nowhere else.
func (v *View) ReadGating(t *Task, answers []GatingAnswer) *Gating {
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

// verdict is one verdict as a server writes it.
type verdict struct {
	Tool      string                `json:"tool"`
	Action    protocol.GatingAction `json:"action"`
	Arguments json.RawMessage       `json:"arguments"`
}

// parseVerdicts reads an answer; one that cannot be read says nothing.
func parseVerdicts(answer GatingAnswer) []verdict {
	var wire struct {
		Verdicts []verdict `json:"verdicts"`
	}
	if json.Unmarshal([]byte(answer.Text), &wire) != nil {
		return nil
	}
	return wire.Verdicts[:min(len(wire.Verdicts), maxVerdicts)]
}

// judge takes one verdict, or says why it is ignored. It returns a claim that
// may be made.
func (v *View) judge(t *Task, g *Gating, server string, said verdict) *Claim {
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

// cannotExclude says why a server may not exclude a tool; empty when it may.
func (v *View) cannotExclude(t *Task, tool int) string {
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

// contest notes that several claims contradict each other, and none wins.
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

// WithGating returns the view for one message, about which servers have said
// something. nil is none.
func (v *View) WithGating(g *Gating) *View {
	if g == nil {
		return v
	}
	next := *v
	next.gating = g
	return &next
}

// attachable reports whether a tool may be attached without being asked for by
// name: it is in scope, and its server does not keep it back this turn.
func (v *View) attachable(t *Task, tool int) bool {
	return v.admits(t, tool) && !v.keptBack(tool)
}

// keptBack reports whether a tool's own server keeps it from being attached
// this turn.
func (v *View) keptBack(tool int) bool {
	return v.gating != nil && v.Settings.SearchTurns > 0 && v.gating.excluded[v.Catalog.Tools[tool].ID]
}

// gated returns what servers said about the message of a turn.
func (v *View) gated() []protocol.GatingVerdict {
	if v.gating == nil {
		return nil
	}
	return v.gating.Verdicts
}

// excludedBy says that a tool's server kept it back in the task's latest turn;
// the zero cause when it did not.
func (t *Task) excludedBy(id ToolID) protocol.Cause {
	for _, said := range t.Gated {
		if said.Server == id.Server && said.Tool == id.Tool && said.Action == protocol.GatingExclude && said.Ignored == "" {
			return protocol.Cause{Kind: protocol.CauseExcluded, Owner: id.Server, Key: GatingName}
		}
	}
	return protocol.Cause{}
}
