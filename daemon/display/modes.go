package display

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// ModesReport lists the modes for a chat.
func ModesReport(r *protocol.ModeListResult) string {
	if len(r.Modes) == 0 {
		return "There are no modes. A mode limits which MCP servers a task sees; write one into `modes` of `.vscode/winnow.json`."
	}
	now := "No mode is set: a task sees every server."
	if r.Current != "" {
		now = fmt.Sprintf("The mode is %s.", Code(r.Current))
	}
	rows := make([][]string, len(r.Modes))
	for i := range r.Modes {
		m := &r.Modes[i]
		slug := Code(m.Slug)
		if m.Slug == r.Current {
			slug += " (current)"
		}
		rows[i] = []string{slug, Markdown(m.Name), serversOf(m)}
	}
	return strings.Join([]string{
		now, table([]string{"Mode", "Name", "Servers"}, "lll", rows),
		"Set one by `/mode` and its name; `/mode none` sees everything.",
	}, "\n\n")
}

func serversOf(m *protocol.ModeInfo) string {
	listed := func(servers []string) string {
		names := make([]string, len(servers))
		for i, server := range servers {
			names[i] = Markdown(server)
		}
		return strings.Join(names, ", ")
	}
	switch {
	case m.AllowedMcpServers != nil && len(*m.AllowedMcpServers) == 0:
		return "none"
	case m.AllowedMcpServers != nil:
		return listed(*m.AllowedMcpServers)
	case len(m.BlockedMcpServers) == 0:
		return "all"
	default:
		return "all but " + listed(m.BlockedMcpServers)
	}
}
