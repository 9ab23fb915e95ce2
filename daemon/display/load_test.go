package display

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestLoadReport(t *testing.T) {
	r := &protocol.TaskLoadResult{}
	has(t, LoadReport(r, "a *b*"), `No tool fits “a \*b\*”.`)
	has(t, LoadReport(r, strings.Repeat("é", 1<<20)), "No tool fits “"+strings.Repeat("é", maxRepeated-1)+"…”.")
	r.Loaded = []protocol.LoadedTool{{Name: "one", Server: "s"}, {Name: "two", Server: "s", Already: true}}
	r.Attachment.Counts.Attached, r.Attachment.Counts.Scoped = 5, 1000
	has(t, LoadReport(r, ""), "- `one` (s)\n- `two` (s), was attached before\n\n5 of 1,000 tools attached.")
}
