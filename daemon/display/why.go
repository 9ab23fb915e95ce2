package display

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Tools of one group on the page. Others can be found by search.
const (
	whyRows  = 25
	whyFound = 100
)

// whyGroup is a heading of the page. Groups of tools that a model has are shown whole.
type whyGroup struct {
	id, heading, shadow string
	whole               bool
}

// whyGroups holds the groups in order.
var whyGroups = []whyGroup{
	{"missed", "Missed: called without being attached", "", true},
	{"called", "Attached, and called", "Would be attached, and called", true},
	{"attached", "Attached", "Would be attached", true},
	{"named", "Named: the model knows the name, and can load it", "Would be named", false},
	{"kept", "In the requests, and cannot be called any more", "", true},
	{"leftOut", "Left out", "Would be left out", false},
	{"held", "Waits for your approval", "", false},
	{"mode", "Taken away by the mode", "", false},
	{"off", "Switched off by you", "", false},
}

// groupOf returns the group of a tool.
func groupOf(tool *protocol.ExplainedTool) string {
	switch outcomeOf(tool) {
	case missed:
		return "missed"
	case attached:
		if tool.Called {
			return "called"
		}
		return "attached"
	case kept:
		return "kept"
	case held:
		return "held"
	case off:
		if tool.Cause.Kind == protocol.CauseMode {
			return "mode"
		}
		return "off"
	}
	if tool.Cause != nil && tool.Cause.Kind == protocol.CauseNamed {
		return "named"
	}
	return "leftOut"
}

// Why returns the page on why each tool of a task is attached or not. list is the
// catalogue of the task's tools, with their switches.
func Why(p *protocol.TaskWhyParams, explained *protocol.TaskExplainResult, list *protocol.CatalogListResult) protocol.TaskWhyResult {
	page := protocol.TaskWhyResult{Summary: whySummary(p, explained), Groups: []protocol.WhyGroup{}}
	switch {
	case p.Message != "":
		page.Note = "Tried: no chat model and no server got it, no task was opened, and nothing is learned. (A provider of embeddings, where you set one, got it, as it gets each message.)"
	case explained.Shadow:
		page.Note = shadowMode
	}
	groups := map[string][]protocol.WhyRow{}
	prefixes, switches := toolPrefixes(explained.Tools), whySwitches(list)
	words := strings.Fields(strings.ToLower(p.Filter))
	for _, tool := range byRelevance(explained.Tools) {
		name := shortName(tool, prefixes)
		if !matches(words, strings.Join([]string{tool.Server, tool.Name, tool.Sentence, tool.Gating}, " ")) {
			continue
		}
		row := whyRow(tool, name)
		if known, ok := switches[refOf(tool)]; ok {
			known.on(&row)
		}
		if slices.Contains(p.Open, refOf(tool)) {
			row.Details = whyDetails(tool)
		}
		group := groupOf(tool)
		groups[group] = append(groups[group], row)
	}
	for _, g := range whyGroups {
		rows := groups[g.id]
		if len(rows) == 0 {
			continue
		}
		page.Groups = append(page.Groups, g.of(rows, explained.Shadow || p.Message != "", len(words) > 0))
	}
	return page
}

// of returns the group with rows. filtered reports that they match a search.
func (g *whyGroup) of(rows []protocol.WhyRow, shadow, filtered bool) protocol.WhyGroup {
	heading := g.heading
	if shadow && g.shadow != "" {
		heading = g.shadow
	}
	group := protocol.WhyGroup{ID: g.id, Heading: fmt.Sprintf("%s (%s)", heading, Number(len(rows))), Rows: rows}
	most := whyRows
	if filtered {
		most = whyFound
	}
	if more := len(rows) - most; more > 0 && !g.whole {
		group.Rows, group.More = rows[:most], fmt.Sprintf("And %s more, which a search finds.", Number(more))
	}
	return group
}

func refOf(tool *protocol.ExplainedTool) protocol.ToolRef {
	return protocol.ToolRef{Server: tool.Server, Tool: tool.Tool}
}

// whySummary counts the tools that a task has, or that a message would get.
func whySummary(p *protocol.TaskWhyParams, explained *protocol.TaskExplainResult) string {
	scoped, has := countInScope(explained.Tools)
	tokens := 0
	for i := range explained.Tools {
		if tool := &explained.Tools[i]; tool.Attached && outOfScope(tool.Cause) == leftOut {
			tokens += tool.Tokens
		}
	}
	said := "Attached: "
	if p.Message != "" || explained.Shadow {
		said = "Would be attached: "
	}
	return fmt.Sprintf("%s%s of %s, %s.", said, Number(has), Count(scoped, "tool"), inTokens(tokens))
}

func whyRow(tool *protocol.ExplainedTool, name string) protocol.WhyRow {
	row := protocol.WhyRow{
		Tool: refOf(tool), Name: name, Tokens: Number(tool.Tokens), Why: "Why not?",
		Sentence: joined(" ", tool.Sentence, tool.Gating), Actions: []protocol.WhyAction{},
	}
	if tool.Attached {
		row.Why = "Why?"
	}
	return row
}

// whySwitch is what a person can change of a tool.
type whySwitch struct {
	tool protocol.ToolInfo
	// byServer reports that the whole server is pinned, so its tools have no own pin.
	byServer bool
}

func whySwitches(list *protocol.CatalogListResult) map[protocol.ToolRef]whySwitch {
	pinned := map[string]bool{}
	for i := range list.Servers {
		pinned[list.Servers[i].Name] = list.Servers[i].AlwaysLoad
	}
	switches := make(map[protocol.ToolRef]whySwitch, len(list.Tools))
	for _, tool := range list.Tools {
		switches[protocol.ToolRef{Server: tool.Server, Tool: tool.Tool}] = whySwitch{tool, pinned[tool.Server]}
	}
	return switches
}

// on adds the switches to the row of the tool.
func (s *whySwitch) on(row *protocol.WhyRow) {
	switch {
	case s.byServer:
	case s.tool.AlwaysLoad:
		row.Actions = append(row.Actions, protocol.WhyAction{Label: "Unpin", Command: "winnow.noAlwaysLoad"})
	case s.tool.InScope:
		row.Actions = append(row.Actions, protocol.WhyAction{Label: "Pin", Command: "winnow.alwaysLoad"})
	}
	if !ownSwitch(&s.tool) {
		return
	}
	on, turn := entryKey(s.tool.Cause) == "", "Turn on"
	if on {
		turn = "Turn off"
	}
	row.On = &on
	row.Actions = append(row.Actions, protocol.WhyAction{Label: turn, Command: "winnow.toggleTool"})
}

// placeLabel names the place of a cause, or "" if it has none.
func placeLabel(c *protocol.Cause) string {
	if c == nil {
		return ""
	}
	switch c.Kind {
	case protocol.CauseServer:
		return fmt.Sprintf("Open %s of server %s", c.Key, c.Owner)
	case protocol.CauseMode:
		return fmt.Sprintf("Open %s of mode %s", c.Key, c.Owner)
	case protocol.CauseDispatch, protocol.CauseLimit, protocol.CauseBudget, protocol.CauseNamed,
		protocol.CauseFrozen, protocol.CauseRank, protocol.CauseUnlisted:
		return "Open the setting " + c.Key
	}
	return ""
}

// whyDetails returns the rule, the rank, and the score with its parts.
func whyDetails(tool *protocol.ExplainedTool) *protocol.WhyDetails {
	details := protocol.WhyDetails{Verdict: sentence(tool.Verdict)}
	if label := placeLabel(tool.Cause); label != "" {
		details.Place, details.PlaceLabel = tool.Cause, label
	}
	if len(tool.Parts) > 0 {
		details.Score = score(tool.Score)
	}
	for _, part := range tool.Parts {
		value := score(part.Value)
		if part.Value >= 0 {
			value = "+" + value
		}
		details.Parts = append(details.Parts, protocol.WhyPart{Name: part.Name, Value: value, Matched: part.Detail})
	}
	return &details
}

// whyTooltip explains a tool in sentences, without the scores.
func whyTooltip(tool *protocol.ExplainedTool) string {
	paragraphs := []string{fmt.Sprintf("**%s** of %s", Markdown(tool.Name), Markdown(tool.Server))}
	for _, said := range []string{tool.Sentence, tool.Gating} {
		if said != "" {
			paragraphs = append(paragraphs, Markdown(said))
		}
	}
	if tool.Missed {
		paragraphs = append(paragraphs, "$(warning) Called while routing would not have attached it.")
	}
	return strings.Join(append(paragraphs, Count(tool.Tokens, "token")+" in each request that carries it"), "\n\n")
}

// score formats a part of a score with three digits; a nonzero part is never 0.
func score(value float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 3, 64), 64)
	if err != nil {
		rounded = value // infinite
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
