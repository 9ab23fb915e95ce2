package display

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestSnippets: where a text belongs, and what care it wants.
func TestSnippets(t *testing.T) {
	t.Parallel()
	snippets := []protocol.GatewaySnippet{
		{Client: "Cursor", By: protocol.ByProcess, File: ".cursor/mcp.json"},
		{Client: "Claude Code", By: protocol.ByAddress},
	}
	Snippets(snippets)
	for i, want := range []struct{ where, copied string }{
		{".cursor/mcp.json", "Copied for Cursor. Paste it into .cursor/mcp.json. It names a launcher that each update of Winnow renews."},
		{"a command", "Copied for Claude Code. Run it in a terminal. It holds a token: do not share it, or put it under version control."},
	} {
		if s := snippets[i]; s.Where != want.where || s.Copied != want.copied {
			t.Errorf("got %q, %q, want %q, %q", s.Where, s.Copied, want.where, want.copied)
		}
	}
}
