package workspace

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config"
)

// The files of other clients that Winnow reads hold Winnow itself, where its
// users have put it for those clients. As a server of its own it would serve
// its own tools, and start itself without end.

// program is the name of winnowd.
const program = "winnowd"

// UpstreamVariable is set in the environment of every server that winnowd
// starts. `winnowd mcp` refuses to be one.
const UpstreamVariable = "WINNOW_UPSTREAM"

// isItself reports whether a definition starts `winnowd mcp`.
func isItself(d config.Definition) bool {
	name := filepath.Base(d.Command)
	if runtime.GOOS == "windows" {
		name = strings.ToLower(name)
		name = strings.TrimSuffix(name, filepath.Ext(name)) // .exe, or the launcher's .cmd
	}
	return name == program && len(d.Args) > 0 && d.Args[0] == "mcp"
}
