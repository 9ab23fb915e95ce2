package replay

import (
	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/daemon/history/claudecode"
	"github.com/winnow-mcp/winnow/daemon/history/codex"
	"github.com/winnow-mcp/winnow/daemon/history/copilotcli"
	"github.com/winnow-mcp/winnow/daemon/history/geminicli"
	"github.com/winnow-mcp/winnow/daemon/history/opencode"
	"github.com/winnow-mcp/winnow/daemon/history/vscode"
)

// Readers returns the readers of all supported clients.
func Readers() []history.Reader {
	return []history.Reader{vscode.Reader(), claudecode.Reader(), codex.Reader(), geminicli.Reader(), opencode.Reader(), copilotcli.Reader()}
}
