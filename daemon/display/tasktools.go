package display

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// TaskTools returns the rows of the tools that a task has missed and of those that it
// has, from the explained tools.
func TaskTools(explained []protocol.ExplainedTool) []protocol.TaskToolRow {
	prefixes := toolPrefixes(explained)
	sorted := byOutcome(explained)
	shown := slices.Concat(sorted[missed], sorted[attached], sorted[kept])
	named := map[string]int{}
	for _, tool := range shown {
		named[shortName(tool, prefixes)]++
	}
	rows := make([]protocol.TaskToolRow, len(shown))
	for i, tool := range shown {
		name := shortName(tool, prefixes)
		rows[i] = protocol.TaskToolRow{
			Tool: protocol.ToolRef{Server: tool.Server, Tool: tool.Tool},
			Row:  taskToolRow(tool, name, named[name] > 1),
		}
	}
	return rows
}

// byRelevance sorts called tools first, then tools that fit the latest message, best
// first. The sort is stable.
func byRelevance(tools []protocol.ExplainedTool) []*protocol.ExplainedTool {
	place := func(tool *protocol.ExplainedTool) int {
		switch {
		case tool.Called:
			return 0
		case tool.Rank > 0:
			return tool.Rank
		}
		return math.MaxInt
	}
	sorted := make([]*protocol.ExplainedTool, len(tools))
	for i := range tools {
		sorted[i] = &tools[i]
	}
	slices.SortStableFunc(sorted, func(a, b *protocol.ExplainedTool) int { return cmp.Compare(place(a), place(b)) })
	return sorted
}

// toolPrefixes returns VS Code's prefix of each server's tools.
func toolPrefixes(tools []protocol.ExplainedTool) map[string]string {
	names := map[string][]string{}
	for i := range tools {
		names[tools[i].Server] = append(names[tools[i].Server], tools[i].Name)
	}
	return prefixesOf(names)
}

// prefixesOf returns the prefix of each server's tools.
func prefixesOf(names map[string][]string) map[string]string {
	prefixes := make(map[string]string, len(names))
	for server, its := range names {
		prefixes[server] = prefixOf(its)
	}
	return prefixes
}

func shortName(tool *protocol.ExplainedTool, prefixes map[string]string) string {
	return strings.TrimPrefix(tool.Name, prefixes[tool.Server])
}

// shortReasons holds short texts of why a tool is attached. The most frequent reasons
// have none.
var shortReasons = map[protocol.AttachReason]string{
	protocol.ReasonPinned:    "always",
	protocol.ReasonCalled:    "called",
	protocol.ReasonFill:      "filler",
	protocol.ReasonLoaded:    "loaded",
	protocol.ReasonEarlyCall: "early call",
}

// taskToolRow returns the row of a task's tool: its name, then what distinguishes it.
// twice reports that another server of the task has a tool of that name.
func taskToolRow(tool *protocol.ExplainedTool, name string, twice bool) protocol.Row {
	var differs description
	var said []string
	if twice {
		differs = append(differs, words(tool.Server))
	}
	turn := ""
	if tool.Turn > 0 {
		turn = fmt.Sprintf("turn %d", tool.Turn)
	}
	if tool.Missed {
		differs = append(differs, words("missed"))
		said = append(said, "called without being attached")
	} else {
		differs = append(differs, words(shortReasons[tool.Reason]))
		if tool.Turn != 1 {
			differs = append(differs, words(turn))
		}
		said = append(said, reasons.Attached(tool.Reason))
	}
	cause := ""
	if tool.Cause != nil {
		cause = "cannot be called: " + plainCause(tool.Cause)
	}
	// Tokens, as in the list of servers.
	differs = append(differs, tokensPart(tool.Tokens))
	row := protocol.Row{
		Description: differs.String(),
		Tooltip:     whyTooltip(tool), Icon: taskToolIcon(tool), Context: "taskTool.attached",
		Accessibility: spoken(name, "", differs, append(said, "of server "+tool.Server, cause)...),
	}
	label(&row, name, row.Description, taskToolRoom)
	if tool.Missed {
		row.Context = "taskTool.missed"
	}
	return row
}

func taskToolIcon(tool *protocol.ExplainedTool) *protocol.Icon {
	switch {
	case tool.Missed:
		return &protocol.Icon{ID: "warning", Color: "charts.yellow"}
	case tool.Cause != nil:
		return &protocol.Icon{ID: "circle-slash", Color: "disabledForeground"}
	case tool.Called:
		return &protocol.Icon{ID: "check", Color: "charts.green"}
	case tool.Reason == protocol.ReasonPinned:
		return &protocol.Icon{ID: "pinned", Color: "charts.blue"}
	case tool.Reason == protocol.ReasonLoaded, tool.Reason == protocol.ReasonEarlyCall:
		return &protocol.Icon{ID: "cloud-download", Color: "charts.purple"}
	}
	return &protocol.Icon{ID: "tools"}
}
