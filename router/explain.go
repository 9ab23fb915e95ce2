package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Explain says for each tool why it is or is not attached: the attached ones
// in their order, then the others by rank, then those that do not match, then
// those out of scope. The scores are those of the task's latest message.
func (v *View) Explain(t *Task) []protocol.ExplainedTool {
	matches := v.rank(t, 0, true)
	rank := make(map[int]int, len(matches)) // tool -> place in matches
	for place, m := range matches {
		rank[m.Doc] = place
	}
	explained := make([]protocol.ExplainedTool, 0, len(v.Catalog.Tools))
	for _, a := range t.Attached {
		e := v.explainAttached(t, a)
		if i, ok := v.Catalog.Lookup(a.ID); ok {
			setMatch(&e, matches, rank, i)
		}
		explained = append(explained, e)
	}
	for _, i := range v.unattachedTools(t, rank) {
		why := v.whyNot(t, i)
		e := protocol.ExplainedTool{
			Server: v.Catalog.Tools[i].ID.Server,
			Tool:   v.Catalog.Tools[i].ID.Tool,
			Name:   v.Catalog.Tools[i].Name,
			Tokens: v.Catalog.Tools[i].Tokens,
			Cause:  reasons.Wire(why),
			Parts:  []protocol.ScorePart{},
		}
		setMatch(&e, matches, rank, i)
		explained = append(explained, e)
	}
	for i := range explained {
		explained[i].Called = slices.Contains(t.Called, ToolID{Server: explained[i].Server, Tool: explained[i].Tool})
	}
	return explained
}

// setMatch fills in what the latest message says of a tool.
func setMatch(e *protocol.ExplainedTool, matches []ranker.Match, rank map[int]int, tool int) {
	place, ok := rank[tool]
	if !ok {
		return
	}
	e.Rank, e.Score, e.Parts = place+1, matches[place].Score, WireParts(matches[place].Parts)
	e.Why = ranker.Sentence(matches[place].Parts)
}

// WireParts returns the parts of a score as they are sent.
func WireParts(parts []ranker.Part) []protocol.ScorePart {
	wire := make([]protocol.ScorePart, len(parts))
	for i, p := range parts {
		wire[i] = protocol.ScorePart{Name: p.Name, Value: p.Value, Detail: p.Detail}
	}
	return wire
}

func (v *View) explainAttached(t *Task, a Attached) protocol.ExplainedTool {
	e := protocol.ExplainedTool{
		Server:   a.ID.Server,
		Tool:     a.ID.Tool,
		Name:     a.Name,
		Attached: true,
		Turn:     a.Turn,
		Reason:   a.Reason,
		Tokens:   a.Tokens,
		Parts:    []protocol.ScorePart{},
	}
	// A tool that left the scope, or the world, stays in its place.
	if i, ok := v.Catalog.Lookup(a.ID); ok {
		e.Cause = reasons.Wire(v.Rule(t, i))
	} else {
		e.Cause = &protocol.Cause{Kind: protocol.CauseGone}
	}
	return e
}

// unattachedTools returns the rest of the catalogue: by rank, then those that
// do not match by name, then those out of scope by name.
func (v *View) unattachedTools(t *Task, rank map[int]int) []int {
	held := t.held(0).ids
	class := make(map[int]int, len(v.Catalog.Tools)) // tool -> its place among others
	var tools []int
	for i := range v.Catalog.Tools {
		if held[v.Catalog.Tools[i].ID] {
			continue
		}
		tools = append(tools, i)
		place, matches := rank[i]
		switch {
		case matches:
			class[i] = place
		case v.admits(t, i):
			class[i] = len(rank)
		default:
			class[i] = len(rank) + 1
		}
	}
	slices.SortFunc(tools, func(a, b int) int {
		return cmp.Or(class[a]-class[b], strings.Compare(v.Catalog.Tools[a].Name, v.Catalog.Tools[b].Name))
	})
	return tools
}

// whyNot says what kept a tool out: the rule of scope, the limit, or the
// place that its score earned.
func (v *View) whyNot(t *Task, i int) protocol.Cause {
	if rule := cmp.Or(v.Rule(t, i), t.excludedBy(v.Catalog.Tools[i].ID)); rule.Kind != "" {
		return rule
	}
	switch {
	case t.Routing == protocol.AttachDispatch:
		return protocol.Cause{Kind: protocol.CauseDispatch, Key: "winnow.strategy"}
	case t.Routing != protocol.AttachDynamic:
		return protocol.Cause{Kind: protocol.CauseLate}
	case v.room(t) == 0:
		return protocol.Cause{Kind: protocol.CauseLimit, Key: "winnow.maxTools"}
	case v.Catalog.Tools[i].Tokens > v.tokenRoom(t):
		return protocol.Cause{Kind: protocol.CauseBudget, Key: "winnow.budgetTokens"}
	case t.nameOf(v.Catalog.Tools[i].ID) != "":
		return protocol.Cause{Kind: protocol.CauseNamed, Key: v.chosenBy(t)}
	case v.Frozen(t):
		return protocol.Cause{Kind: protocol.CauseFrozen, Key: settingSearchTurns}
	case t.Warm && v.placed(t).closed:
		return protocol.Cause{Kind: protocol.CauseFrozen, Key: v.placed(t).setting}
	}
	return protocol.Cause{Kind: protocol.CauseRank, Key: v.chosenBy(t)}
}

// chosenBy names the setting that says how many tools the latest message of a
// task attaches.
func (v *View) chosenBy(t *Task) string {
	if v.Settings.Strategy == protocol.StrategyTopK {
		return settingTopK
	}
	return v.placed(t).setting
}
