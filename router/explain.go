package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
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
		x := v.whyNot(t, i)
		e := protocol.ExplainedTool{
			Server:    v.Catalog.Tools[i].ID.Server,
			Tool:      v.Catalog.Tools[i].ID.Tool,
			Name:      v.Catalog.Tools[i].Name,
			Tokens:    v.Catalog.Tools[i].Tokens,
			Exclusion: x,
			Rule:      ExclusionText(x),
			Parts:     []protocol.ScorePart{},
		}
		setMatch(&e, matches, rank, i)
		explained = append(explained, e)
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
}

// WireParts returns the parts of a score as they are sent.
func WireParts(parts []ranker.Part) []protocol.ScorePart {
	wire := make([]protocol.ScorePart, len(parts))
	for i, p := range parts {
		wire[i] = protocol.ScorePart(p)
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
	e.Exclusion = protocol.Exclusion{Kind: protocol.ExcludedAsGone}
	if i, ok := v.Catalog.Lookup(a.ID); ok {
		e.Exclusion = v.Excluded(t, i)
	}
	e.Rule = ExclusionText(e.Exclusion)
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
func (v *View) whyNot(t *Task, i int) protocol.Exclusion {
	if x := cmp.Or(v.Excluded(t, i), t.excludedBy(v.Catalog.Tools[i].ID)); x != none {
		return x
	}
	kind, key := protocol.ExcludedByRank, "winnow.searchK"
	switch {
	case t.Routing == protocol.AttachDispatch:
		kind, key = protocol.ExcludedByStrategy, "winnow.strategy"
	case t.Routing != protocol.AttachDynamic:
		kind, key = protocol.ExcludedAsNew, ""
	case v.room(t) == 0:
		kind, key = protocol.ExcludedByLimit, "winnow.maxTools"
	case t.Frozen(v.Settings):
		kind, key = protocol.ExcludedByWindow, "winnow.searchTurns"
	case v.Settings.Strategy == protocol.StrategyTopK:
		key = "winnow.topK"
	case t.Window == 1:
		key = "winnow.initialK"
	}
	return protocol.Exclusion{Kind: kind, Key: key}
}
