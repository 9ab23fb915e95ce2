package workspace

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config"
)

// Other clients' files that Winnow reads may contain Winnow itself, if its users have
// added it for those clients. As one of its own servers it would serve its own tools and
// start itself endlessly.

// program is the name of winnowd's executable.
const program = "winnowd"

// UpstreamVariable is set in the environment of every server that winnowd starts.
// `winnowd mcp` refuses to run with it.
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
