package imports

import (
	"encoding/json"
	"slices"
	"strings"
)

// everyTool stands for each tool of a server in `alwaysAllow`.
const everyTool = "*"

// ClaudeSettings holds texts of Claude Code's settings files, which say for each tool
// whether Claude Code asks before a call. An unreadable one is ignored.
type ClaudeSettings struct {
	// User is the user's file, which alone can allow a tool to run unasked.
	User string
	// Workspace holds the folders' files, which can only revoke that.
	Workspace []string
}

// permissions are the rules of a settings file: `mcp__server__tool`, or
// `mcp__server` for all of its tools.
type permissions struct {
	Permissions struct{ Allow, Ask, Deny []string }
}

// unasked returns the tools of a server that Claude Code ran unasked, or "*" for all. A
// rule to ask or to deny wins, as in Claude Code; if one concerns the server, "*" is not
// taken over.
func (s ClaudeSettings) unasked(server string) []string {
	var allow, held []string
	for i, text := range append([]string{s.User}, s.Workspace...) {
		var p permissions
		if json.Unmarshal([]byte(text), &p) != nil {
			continue
		}
		if i == 0 {
			allow = toolsOf(server, p.Permissions.Allow)
		}
		held = append(held, toolsOf(server, slices.Concat(p.Permissions.Ask, p.Permissions.Deny))...)
	}
	if slices.Contains(held, everyTool) {
		return nil
	}
	if slices.Contains(allow, everyTool) && len(held) == 0 {
		return []string{everyTool}
	}
	return slices.DeleteFunc(allow, func(tool string) bool { return tool == everyTool || slices.Contains(held, tool) })
}

// toolsOf returns the distinct tools of a server in rules; it skips other rules.
func toolsOf(server string, rules []string) []string {
	var tools []string
	for _, rule := range rules {
		tool, ok := strings.CutPrefix(rule, "mcp__"+claudeName(server))
		switch {
		case !ok:
			continue
		case tool == "" || tool == "__*":
			tool = everyTool
		default:
			if tool, ok = strings.CutPrefix(tool, "__"); !ok || tool == "" || strings.Contains(tool, everyTool) {
				continue
			}
		}
		if !slices.Contains(tools, tool) {
			tools = append(tools, tool)
		}
	}
	return tools
}

// claudeName returns a server's name as in Claude Code's names of tools.
func claudeName(server string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, server)
}
