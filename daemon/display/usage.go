package display

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// usageColors is the number of different colours of sections.
const usageColors = 6

// Usage returns the panel of a task's context. list contains the task, and tools holds
// the tools that it may have.
func Usage(p *protocol.TaskUsageRowsParams, usage *protocol.TaskUsageResult, list *protocol.TaskListResult, tools []protocol.ToolInfo) protocol.TaskUsageRowsResult {
	var task protocol.TaskSummary
	for i := range list.Tasks {
		if list.Tasks[i].Task == p.Task {
			task = list.Tasks[i]
		}
	}
	prefixes := catalogPrefixes(tools)
	panel := protocol.TaskUsageRowsResult{
		Summary: sentence(TaskSummary(&task, usage.Client-task.Tokens.Client)),
		Details: joined(" · ", p.Model, modeOf(&task), turnOf(&task), missedOf(&task)),
		Used:    used(&task.Used),
		Week:    week(&list.Week),
		Notes:   taskNotes(&task),
		Bars:    usageBars(usage, len(p.Sections)),
		Rows:    usageRows(usage, prefixes),
		Sums:    usageSums(usage),
		Turns:   turnRows(usage.Turns),
		LeftOut: leftOutOf(list.Days),
	}
	if panel.Costly = costly(&task); panel.Costly != "" {
		panel.CostlySetting = costlySetting
	}
	if usage.Shadow {
		panel.Shadow = shadowMode
	}
	return panel
}

// catalogPrefixes returns the prefix of each server's tools.
func catalogPrefixes(tools []protocol.ToolInfo) map[string]string {
	names := map[string][]string{}
	for i := range tools {
		names[tools[i].Server] = append(names[tools[i].Server], tools[i].Name)
	}
	return prefixesOf(names)
}

// usageBars compares the whole request with and without Winnow; the longest bar has full
// length. The first host sections are the host's own.
func usageBars(u *protocol.TaskUsageResult, host int) []protocol.UsageBar {
	longest := max(u.Total, u.Unrouted, u.Client, 1)
	bars := []protocol.UsageBar{usageBar("With every tool", inTokens(u.Unrouted), without(u.Sections, host, u.Unrouted), longest)}
	if u.Client != u.Unrouted {
		bars = append(bars, usageBar("VS Code by itself", inTokens(u.Client), without(u.Sections, host, u.Client), longest))
	}
	sent := "Sent by Winnow"
	if u.Shadow {
		sent = "Winnow would send"
	}
	bars = append(bars, usageBar(sent, inTokens(u.Total), u.Sections, longest))
	if u.ContextTokens > 0 {
		used := fmt.Sprintf("%s of %s", Percent(u.Total, u.ContextTokens), Tokens(u.ContextTokens))
		// What is free stays empty.
		bars = append(bars, usageBar("The model's window", used, u.Sections, max(u.ContextTokens, u.Total)))
	}
	return bars
}

// without returns the sections without Winnow: the host's are the same, and the tools,
// which follow them, get the rest of the whole.
func without(sections []protocol.UsageSection, host, whole int) []protocol.UsageSection {
	same := sections[:host:host]
	for _, section := range same {
		whole -= section.Tokens
	}
	return append(same, protocol.UsageSection{Name: sections[host].Name, Tokens: whole})
}

// usageBar returns a bar; longest is the token count of a full-length bar.
func usageBar(label, size string, sections []protocol.UsageSection, longest int) protocol.UsageBar {
	bar := protocol.UsageBar{Label: label, Size: size, Segments: []protocol.UsageSegment{}}
	tokens := 0
	var parts []string
	for i, section := range sections {
		if section.Tokens > 0 {
			bar.Segments = append(bar.Segments, protocol.UsageSegment{
				Title: section.Name + ": " + Count(section.Tokens, "token"),
				Start: share(tokens, longest), Length: share(section.Tokens, longest), Color: i % usageColors,
			})
			parts = append(parts, section.Name+" "+Number(section.Tokens))
		}
		tokens += section.Tokens
	}
	bar.Accessibility = joined(". ", label+": "+size, strings.Join(parts, ", "))
	return bar
}

// share returns a part as a fraction of the whole.
func share(part, whole int) float64 { return float64(part) / float64(whole) }

// usageRows returns the table of the sections with their content.
func usageRows(u *protocol.TaskUsageResult, prefixes map[string]string) []protocol.UsageRow {
	rows := make([]protocol.UsageRow, len(u.Sections))
	for i := range u.Sections {
		color := i % usageColors
		rows[i] = usageRow(&u.Sections[i], u.Total, 0, strconv.Itoa(i))
		rows[i].Color = &color
		for j := range rows[i].Children {
			server := &rows[i].Children[j]
			for k := range server.Children {
				shorten(&server.Children[k], prefixes[server.Name])
			}
		}
	}
	return rows
}

func usageRow(section *protocol.UsageSection, total, level int, id string) protocol.UsageRow {
	row := protocol.UsageRow{
		ID: id, Name: section.Name, Tokens: Number(section.Tokens), Share: Percent(section.Tokens, total), Level: level,
	}
	for i := range section.Children {
		child := &section.Children[i]
		row.Children = append(row.Children, usageRow(child, total, level+1, id+"/"+url.PathEscape(child.Name)))
	}
	return row
}

// shorten removes VS Code's prefix from a tool's name, if the server is shown above.
func shorten(row *protocol.UsageRow, prefix string) {
	if name := strings.TrimPrefix(row.Name, prefix); name != row.Name {
		row.Name, row.FullName = name, row.Name
	}
}

// usageSums returns the rows below the table. A request can exceed the window.
func usageSums(u *protocol.TaskUsageResult) []protocol.UsageSum {
	sums := []protocol.UsageSum{{Name: "Total", Tokens: Number(u.Total)}}
	if u.Free != nil && *u.Free < 0 {
		sums = append(sums, protocol.UsageSum{Name: "Beyond the window", Tokens: Number(-*u.Free)})
	} else if u.Free != nil {
		sums = append(sums, protocol.UsageSum{Name: "Free", Tokens: Number(*u.Free)})
	}
	if u.ContextTokens > 0 {
		sums = append(sums, protocol.UsageSum{Name: "The model's window", Tokens: Number(u.ContextTokens)})
	}
	return sums
}

func turnRows(turns []protocol.UsageTurn) []protocol.UsageTurnRow {
	all := 0
	for _, turn := range turns {
		all += turn.Tokens
	}
	rows, sum := make([]protocol.UsageTurnRow, len(turns)), 0
	for i, turn := range turns {
		rows[i] = protocol.UsageTurnRow{
			Turn: turn.Turn, Added: "0", Tokens: Number(turn.Tokens), Sum: Number(sum + turn.Tokens),
			Start: share(sum, max(all, 1)), Length: share(turn.Tokens, max(all, 1)),
		}
		if turn.Added > 0 {
			rows[i].Added = "+" + Number(turn.Added)
		}
		sum += turn.Tokens
	}
	return rows
}
