package router

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// maxWhyNone is the most reasons given for a task without any tool.
const maxWhyNone = 3

// whyNone explains why a task has no tool: which rules keep tools out, which servers do
// not run, and which may still add some.
func (v *admission) whyNone(t *Task) string {
	const head = "No tool is available to this task"
	if len(v.Catalog.Servers) == 0 {
		return head + ": there is no MCP server."
	}
	kept := map[protocol.Cause]int{}
	var rules []protocol.Cause
	var away, starting []string
	for s := range v.Catalog.Servers {
		server := &v.Catalog.Servers[s]
		switch {
		case v.unlisted(s):
			starting = append(starting, server.Name)
		case server.First == server.End && server.Unavailable != "" && !v.Mode.hidesServer(server.Name):
			away = append(away, fmt.Sprintf("server %q is away: %s", server.Name, server.Unavailable))
		}
		for i := server.First; i < server.End; i++ {
			if v.Scope.Hides(i) {
				continue
			}
			rule := v.Rule(t, i)
			if kept[rule]++; kept[rule] == 1 {
				rules = append(rules, rule)
			}
		}
	}
	var why []string
	for _, rule := range rules {
		why = append(why, keepsOut(rule, kept[rule]))
	}
	why = append(why, away...)
	if len(why) > maxWhyNone {
		why = append(why[:maxWhyNone], "and so on")
	}
	text := head
	if len(why) > 0 {
		text += ": " + strings.Join(why, "; ")
	}
	text += "."
	if len(starting) > 0 {
		text += " Still starting: " + joined(starting, maxLine) + ". Ask again in a moment."
	}
	return text
}

// keepsOut says that a rule keeps n tools out.
func keepsOut(rule protocol.Cause, n int) string {
	if rule.Kind == protocol.CauseStopped {
		return fmt.Sprintf("%s, with its %s", reasons.Text(rule), plural(n, "tool"))
	}
	return fmt.Sprintf("%s keeps out %s", reasons.Text(rule), plural(n, "tool"))
}
