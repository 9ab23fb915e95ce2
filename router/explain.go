package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Explain says for each tool why it is or is not attached. The attached tools come first
// in their order, then the others by rank, then those that do not match, then those out
// of scope. The scores are for the task's latest message.
func (v *reporting) Explain(t *Task) []protocol.ExplainedTool {
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
	whyNot := v.whyNot(t)
	for _, i := range v.unattachedTools(t, rank) {
		e := protocol.ExplainedTool{
			Server: v.Catalog.Tools[i].ID.Server,
			Tool:   v.Catalog.Tools[i].ID.Tool,
			Name:   v.Catalog.Tools[i].Name,
			Tokens: v.presented(i).tokens,
			Cause:  reasons.Wire(whyNot(i)),
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

// setMatch sets a tool's rank and score for the latest message.
func setMatch(e *protocol.ExplainedTool, matches []ranker.Match, rank map[int]int, tool int) {
	place, ok := rank[tool]
	if !ok {
		return
	}
	e.Rank, e.Score, e.Parts = place+1, matches[place].Score, WireParts(matches[place].Parts)
	e.Why = ranker.Sentence(matches[place].Parts)
}

// WireParts returns the parts of a score in their wire form.
func WireParts(parts []ranker.Part) []protocol.ScorePart {
	wire := make([]protocol.ScorePart, len(parts))
	for i, p := range parts {
		wire[i] = protocol.ScorePart{Name: p.Name, Value: p.Value, Detail: p.Detail}
	}
	return wire
}

func (v *reporting) explainAttached(t *Task, a Attached) protocol.ExplainedTool {
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
	// A tool that left the scope or no longer exists keeps its place.
	if i, ok := v.Catalog.Lookup(a.ID); ok {
		e.Cause = reasons.Wire(v.Rule(t, i))
	} else {
		e.Cause = &protocol.Cause{Kind: protocol.CauseGone}
	}
	return e
}

// unattachedTools returns the rest of the catalogue: by rank, then those that
// do not match by name, then those out of scope by name.
func (v *reporting) unattachedTools(t *Task, rank map[int]int) []int {
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

// whyNot returns a function that says why a tool is not attached: the scope rule that
// keeps it out, or the result of [View.notChosen].
func (v *reporting) whyNot(t *Task) func(tool int) protocol.Cause {
	notChosen := v.notChosen(t)
	return func(tool int) protocol.Cause {
		if rule := cmp.Or(v.Rule(t, tool), t.excludedBy(v.Catalog.Tools[tool].ID)); rule.Kind != "" {
			return rule
		}
		return notChosen(tool)
	}
}

// notChosen returns a function that says why a tool in scope is not attached: the limit,
// or the place that its score earned. What applies to the whole task is computed once.
func (v *reporting) notChosen(t *Task) func(tool int) protocol.Cause {
	always := func(c protocol.Cause) func(int) protocol.Cause {
		return func(int) protocol.Cause { return c }
	}
	switch {
	case t.Routing == protocol.AttachDispatch:
		return always(protocol.Cause{Kind: protocol.CauseDispatch, Key: "winnow.strategy"})
	case t.Routing != protocol.AttachDynamic:
		return always(protocol.Cause{Kind: protocol.CauseLate})
	case v.room(t) == 0:
		return always(protocol.Cause{Kind: protocol.CauseLimit, Key: "winnow.maxTools"})
	}
	chosenBy := cmp.Or(t.ChosenBy, settingInitialK) // a host's state may lack it
	frozen := chosenBy == settingSearchTurns || chosenBy == settingAppendAfter
	tokens := v.tokenRoom(t)
	return func(tool int) protocol.Cause {
		switch pick := &v.Catalog.Tools[tool]; {
		case v.presented(tool).tokens > tokens:
			return protocol.Cause{Kind: protocol.CauseBudget, Key: "winnow.budgetTokens"}
		case frozen:
			return protocol.Cause{Kind: protocol.CauseFrozen, Key: chosenBy}
		case t.nameOf(pick.ID) != "":
			return protocol.Cause{Kind: protocol.CauseNamed, Key: chosenBy}
		}
		return protocol.Cause{Kind: protocol.CauseRank, Key: chosenBy}
	}
}
