package display

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Unusable says for a chat that no server has a tool that can be used, and why;
// empty where one has.
func Unusable(servers []protocol.ServerInfo) string {
	if len(servers) == 0 {
		return "Winnow runs no MCP server yet, so I answer without tools of yours. " +
			"Add one to `.vscode/winnow.json`, or let Winnow take over those that you have."
	}
	var states []string
	for i := range servers {
		s := &servers[i]
		if s.Tools > 0 {
			return ""
		}
		why := ""
		if s.Error != "" {
			why = fmt.Sprintf(" (%s)", Markdown(oneLine(s.Error)))
		}
		states = append(states, fmt.Sprintf("%s: %s%s", Code(s.Name), stateLooks[s.State].words, why))
	}
	return fmt.Sprintf("None of your MCP servers can be used now. %s.", strings.Join(states, "; "))
}
