package display

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// canServe holds the states of servers whose tools can be called now or soon.
var canServe = []protocol.ServerState{
	protocol.ServerReady, protocol.ServerKnown, protocol.ServerStarting, protocol.ServerConfigured,
}

// Unusable says for a chat why none of the servers that Winnow runs has a usable tool, or
// "" if one has. The host may have servers of its own.
func Unusable(servers []protocol.ServerInfo) string {
	if len(servers) == 0 {
		return "Winnow runs no MCP server yet. " +
			"Add one to `.vscode/winnow.json`, or let Winnow take over those that you have."
	}
	var states []string
	for i := range servers {
		s := &servers[i]
		why := ""
		if slices.Contains(canServe, s.State) {
			if s.InScope > 0 {
				return ""
			}
			if s.Tools > 0 {
				why = ", and each of its tools is off"
			}
		}
		if s.Error != "" {
			why += fmt.Sprintf(" (%s)", Markdown(oneLine(s.Error)))
		}
		states = append(states, fmt.Sprintf("%s: %s%s", Code(s.Name), stateLooks[s.State].words, why))
	}
	return fmt.Sprintf("None of the MCP servers that Winnow runs can be used now. %s.", strings.Join(states, "; "))
}
