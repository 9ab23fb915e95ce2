package display

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Why makes the quick pick that lists the tools of a task, or explains one.
func Why(p *protocol.TaskWhyParams, explained *protocol.TaskExplainResult) protocol.TaskWhyResult {
	all := protocol.TaskWhyParams{Task: p.Task}
	prefixes := toolPrefixes(explained.Tools)
	for i := range explained.Tools {
		tool := &explained.Tools[i]
		if p.Tool == nil || *p.Tool != refOf(tool) {
			continue
		}
		title := fmt.Sprintf("Why %s of %s?", shortName(tool, prefixes), tool.Server)
		one := protocol.TaskWhyParams{Task: p.Task, Tool: p.Tool}
		if p.Details {
			return protocol.TaskWhyResult{Title: title, Groups: whyDetails(tool), Back: &one}
		}
		one.Details = true
		return protocol.TaskWhyResult{Title: title, Groups: whyGroups(tool, &one), Back: &all}
	}
	title := "Why Each Tool Is or Is Not Attached"
	if explained.Shadow {
		title += ", Shadow Mode"
	}
	return protocol.TaskWhyResult{Title: title, Groups: toolGroups(p.Task, explained)}
}

func refOf(tool *protocol.ExplainedTool) protocol.ToolRef {
	return protocol.ToolRef{Server: tool.Server, Tool: tool.Tool}
}

// toolGroups lists the tools of a task by what became of them, each group by
// relevance. Empty groups are left out.
func toolGroups(task string, explained *protocol.TaskExplainResult) []protocol.PickGroup {
	headings := [outcomes]string{
		missed: "Missed: called without being attached", attached: "Attached", kept: "In the requests, and cannot be called any more",
		leftOut: "Not attached", held: "Waits for your approval", off: "Switched off by you",
	}
	if explained.Shadow {
		headings[attached], headings[leftOut] = "Would be attached", "Would not be attached"
	}
	prefixes := toolPrefixes(explained.Tools)
	groups := []protocol.PickGroup{}
	for o, tools := range byOutcome(explained.Tools) {
		if len(tools) == 0 {
			continue
		}
		group := protocol.PickGroup{Heading: fmt.Sprintf("%s (%s)", headings[o], Number(len(tools)))}
		for _, tool := range tools {
			group.Rows = append(group.Rows, toolPick(task, tool, shortName(tool, prefixes)))
		}
		groups = append(groups, group)
	}
	return groups
}

func toolPick(task string, tool *protocol.ExplainedTool, name string) protocol.PickRow {
	ref := refOf(tool)
	return protocol.PickRow{
		Label: withoutIcons(name), Description: withoutIcons(fmt.Sprintf("%s · %s", tool.Server, inTokens(tool.Tokens))),
		Detail: withoutIcons(joined(" ", tool.Sentence, tool.Gating)), Next: &protocol.TaskWhyParams{Task: task, Tool: &ref},
	}
}

// whyGroups explains one tool, the most important first; details asks for the
// rest.
func whyGroups(tool *protocol.ExplainedTool, details *protocol.TaskWhyParams) []protocol.PickGroup {
	var why []protocol.PickRow
	for _, line := range wrapped(tool.Sentence, pickRoom) { // VS Code cuts what is longer
		why = append(why, protocol.PickRow{Label: withoutIcons(line)})
	}
	if tool.Missed {
		why = append(why, protocol.PickRow{Label: "Missed", Detail: "The model called it while routing would not have attached it."})
	}
	if label := placeLabel(tool.Cause); label != "" {
		why = append(why, protocol.PickRow{Label: withoutIcons(label), Description: withoutIcons(plainCause(tool.Cause)), Place: tool.Cause})
	}
	if tool.Gating != "" {
		why = append(why, protocol.PickRow{Label: withoutIcons(tool.Gating)})
	}
	cost := protocol.PickRow{Label: Count(tool.Tokens, "token"), Description: "in each request that carries it"}
	more := protocol.PickRow{Label: "Details…", Description: "the rule, the rank, and the score", Next: details}
	return []protocol.PickGroup{
		{Heading: "Why", Rows: why},
		{Heading: "Cost", Rows: []protocol.PickRow{cost}},
		{Heading: "More", Rows: []protocol.PickRow{more}},
	}
}

// placeLabel names the place where a cause is written; empty for one that is
// written nowhere.
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

// whyDetails has the rule, the rank, and the score with its parts.
func whyDetails(tool *protocol.ExplainedTool) []protocol.PickGroup {
	scores := []protocol.PickRow{{Label: "No score", Detail: "It was not compared, or nothing in the message matches."}}
	if len(tool.Parts) > 0 {
		scores = []protocol.PickRow{{Label: "Score " + score(tool.Score)}}
		if tool.Rank > 0 {
			scores[0].Description = fmt.Sprintf("rank %d", tool.Rank)
		}
	}
	for _, part := range tool.Parts {
		value := score(part.Value)
		if part.Value >= 0 {
			value = "+" + value
		}
		scores = append(scores, protocol.PickRow{Label: value + "  " + part.Name, Description: withoutIcons(part.Detail)})
	}
	return []protocol.PickGroup{
		{Heading: "Decision", Rows: []protocol.PickRow{{Label: withoutIcons(tool.Verdict)}}},
		{Heading: "Score for the latest message", Rows: scores},
	}
}

// whyTooltip explains a tool in sentences; how it was compared is behind its
// details.
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

// score writes a part of a score. Three digits are enough to compare, and what
// is there is never 0.
func score(value float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 3, 64), 64)
	if err != nil {
		rounded = value // infinite: it stays as it is
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
