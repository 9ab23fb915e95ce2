package display

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestUnusable(t *testing.T) {
	declined := protocol.ServerInfo{Name: "docs", State: protocol.ServerDeclined}
	failed := protocol.ServerInfo{Name: "a`b", State: protocol.ServerFailed, Error: "exit\ncode *1*"}
	for want, servers := range map[string][]protocol.ServerInfo{
		"Winnow runs no MCP server yet, so I answer without tools of yours. Add one to `.vscode/winnow.json`, or let Winnow take over those that you have.": nil,
		"": {declined, {Name: "files", State: protocol.ServerReady, Tools: 1}},
		"None of your MCP servers can be used now. `docs`: not allowed; `a b`: failed (exit code \\*1\\*).": {declined, failed},
		"None of your MCP servers can be used now. `w`: waits for your consent.":                            {{Name: "w", State: protocol.ServerWaitingForConsent}},
	} {
		if got := Unusable(servers); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
