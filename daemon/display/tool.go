package display

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// toolRow returns the row of a tool, without its tooltip; see [toolTooltip]. prefix is VS
// Code's prefix of its server's tools. byServer reports that `alwaysLoad` is true for the
// whole server, so the tool has no such switch.
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

// ownSwitch reports whether the tool can be switched. If the whole server is off, its own
// switch would have no visible effect.
func ownSwitch(tool *protocol.ToolInfo) bool { return entryKey(tool.Cause) != "disabled" }

// entryKey returns the key of a server's entry that is the cause, or "" for another
// cause.
func entryKey(cause *protocol.Cause) string {
	if cause == nil || cause.Kind != protocol.CauseServer {
		return ""
	}
	return cause.Key
}

// toolNotes returns what is special about a tool.
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

// toolContext returns the row's context value for menus.
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

// toolAccessibility returns the screen reader's text of a tool's row.
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

// toolTooltip returns the tooltip of a tool's row. It is made on demand, because it is
// long and there may be thousands of rows.
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

// plainCause returns a cause in plain words, or "".
func plainCause(cause *protocol.Cause) string {
	if cause == nil {
		return ""
	}
	return reasons.Plain(*cause)
}
