package display

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestUnusable(t *testing.T) {
	declined := protocol.ServerInfo{Name: "docs", State: protocol.ServerDeclined}
	failed := protocol.ServerInfo{Name: "a`b", State: protocol.ServerFailed, Error: "exit\ncode *1*"}
	for want, servers := range map[string][]protocol.ServerInfo{
		"Winnow runs no MCP server yet. Add one to `.vscode/winnow.json`, or let Winnow take over those that you have.": nil,
		"": {declined, {Name: "files", State: protocol.ServerReady, Tools: 2, InScope: 1}},
		"None of the MCP servers that Winnow runs can be used now. `docs`: not allowed; `a b`: failed (exit code \\*1\\*).": {declined, failed},
		"None of the MCP servers that Winnow runs can be used now. `off`: running, and each of its tools is off; `k`: failed.": {
			{Name: "off", State: protocol.ServerReady, Tools: 3}, {Name: "k", State: protocol.ServerFailed, Tools: 3, InScope: 3},
		},
		"None of the MCP servers that Winnow runs can be used now. `w`: waits for your consent.": {{Name: "w", State: protocol.ServerWaitingForConsent}},
	} {
		if got := Unusable(servers); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
