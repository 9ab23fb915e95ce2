package display

import (
	"cmp"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// Snippets adds the texts of the gateway's configurations for other clients.
func Snippets(snippets []protocol.GatewaySnippet) {
	for i := range snippets {
		s := &snippets[i]
		s.Where = cmp.Or(s.File, "a command")
		todo := "Run it in a terminal"
		if s.File != "" {
			todo = "Paste it into " + s.File
		}
		care := "It holds a token: do not share it, or put it under version control."
		if s.By == protocol.ByProcess {
			care = "It names a launcher that each update of Winnow renews."
		}
		s.Copied = fmt.Sprintf("Copied for %s. %s. %s", s.Client, todo, care)
	}
}
