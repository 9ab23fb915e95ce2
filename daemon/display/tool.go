package display

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// toolRow makes the row of a tool, without its tooltip: see [toolTooltip]. prefix
// is what VS Code has put before the names of its server's tools. byServer:
// `alwaysLoad` is true for the whole server, where the tool itself has no such
// switch.
func toolRow(tool *protocol.ToolInfo, prefix string, byServer bool) protocol.Row {
	notes, cost := toolNotes(tool), tokensPart(tool.Tokens)
	whole, beside := append(description{cost}, notes...), uncut(cost.seen, notes.String())
	if lock := lockNote(tool); lock != "" {
		whole, beside = append(notes, cost), lock
	}
	row := protocol.Row{
		Description: whole.String(),
		Icon:        toolIcon(tool),
		Context:     toolContext(tool, byServer),
	}
	name := strings.TrimPrefix(tool.Tool, prefix)
	row.Accessibility = toolAccessibility(tool, name, whole)
	label(&row, name, beside, toolRoom)
	if ownSwitch(tool) {
		on := entryKey(tool.Cause) == ""
		row.Checked, row.CheckboxTooltip = &on, "Switch this tool on in your file"
		if on {
			row.CheckboxTooltip = "Switch this tool off in your file"
		}
	}
	return row
}

// ownSwitch says whether the tool can be switched: where the whole server is off,
// a tool's own switch would do nothing visible.
func ownSwitch(tool *protocol.ToolInfo) bool { return entryKey(tool.Cause) != "disabled" }

// entryKey is the member of a server's entry that is the cause; empty where
// something else is.
func entryKey(cause *protocol.Cause) string {
	if cause == nil || cause.Kind != protocol.CauseServer {
		return ""
	}
	return cause.Key
}

// toolNotes are what is special about a tool.
func toolNotes(tool *protocol.ToolInfo) description {
	override, readOnly, mode := "", "", ""
	if tool.Override != "" {
		override = "own description"
	}
	if tool.ReadOnly {
		readOnly = "read-only"
	}
	if tool.Cause != nil && tool.Cause.Kind == protocol.CauseMode {
		mode = "not in mode " + tool.Cause.Owner
	}
	return description{words(lockNote(tool)), words(pinnedNote(tool.AlwaysLoad && tool.InScope)), words(override), words(readOnly), words(mode)}
}

func toolIcon(tool *protocol.ToolInfo) *protocol.Icon {
	switch {
	case lockNote(tool) != "":
		icon := warningIcon
		return &icon
	case !tool.InScope:
		icon := offIcon
		return &icon
	case tool.AlwaysLoad:
		return &protocol.Icon{ID: "pinned", Color: "charts.blue"}
	default:
		return &protocol.Icon{ID: "tools"}
	}
}

// toolContext is the row's for menus.
func toolContext(tool *protocol.ToolInfo, byServer bool) string {
	pin, text, own := "unpinned", "plain", ""
	switch {
	case byServer:
		pin = "byServer"
	case tool.AlwaysLoad:
		pin = "pinned"
	}
	if tool.Override != "" {
		text = "override"
	}
	if ownSwitch(tool) {
		own = "switch"
	}
	return joined(".", "tool", pin, text, own, string(tool.Lock))
}

// toolAccessibility is what a screen reader says of a tool's row.
func toolAccessibility(tool *protocol.ToolInfo, name string, whole description) string {
	on := "on"
	if !tool.InScope {
		on = joined(": ", "off", plainCause(tool.Cause))
	}
	var findings []string
	for _, finding := range tool.Findings {
		findings = append(findings, findingText(finding))
	}
	return spoken(name, on, whole, findings...)
}

// toolTooltip is what the row of a tool says when somebody looks at it: long, and
// there may be thousands of rows.
func toolTooltip(tool *protocol.ToolInfo) string {
	title := tool.Title
	if title == "" {
		title = tool.Tool
	}
	lines := []string{"**" + Markdown(title) + "**"}
	description := Markdown(tool.Description)
	if tool.Override != "" {
		lines = append(lines, "Models read: "+Markdown(tool.Override))
		if description != "" {
			description = "The server's own words: " + description
		}
	}
	lines = append(lines, description, Count(tool.Tokens, "token")+" · the model knows it as "+Markdown(tool.Name))
	if note := lockNote(tool); note != "" {
		lines = append(lines, "$(warning) "+note+". “Review Change…” shows what is locked beside what its server says now.")
	}
	for _, finding := range tool.Findings {
		lines = append(lines, "$(info) It "+Markdown(findingText(finding)))
	}
	if tool.Cause != nil {
		lines = append(lines, "$(circle-slash) Off: "+Markdown(plainCause(tool.Cause)))
	}
	if !tool.Available {
		lines = append(lines, "$(warning) Its server cannot be called now")
	}
	return joined("\n\n", lines...)
}

// plainCause words a cause in plain words; empty for none.
func plainCause(cause *protocol.Cause) string {
	if cause == nil {
		return ""
	}
	return reasons.Plain(*cause)
}
