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

// Readers read what each client keeps.
func Readers() []history.Reader {
	return []history.Reader{vscode.Reader(), claudecode.Reader(), codex.Reader(), geminicli.Reader(), opencode.Reader(), copilotcli.Reader()}
}
