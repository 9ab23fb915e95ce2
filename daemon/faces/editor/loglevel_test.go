package editor_test

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestSetLogLevel(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(nil)
	set := func(level protocol.LogLevel) {
		daemontest.Call[protocol.Empty](h, protocol.MethodSetLogLevel, protocol.SetLogLevelParams{Level: level})
	}
	// A folder that is none is warned of, in the log too.
	warnings := func() int {
		h.Notify(protocol.MethodDidChangeFolders, protocol.DidChangeFoldersParams{
			WorkspaceFolders: []protocol.WorkspaceFolder{{URI: "git:/elsewhere"}},
		})
		h.Catalog() // answered after what was told before it
		return strings.Count(h.Log(), "git:/elsewhere")
	}
	before := warnings()
	set(protocol.LogError)
	if got := warnings(); before == 0 || got != before {
		t.Errorf("%d warnings, %d with errors only", before, got)
	}
	set(protocol.LogDebug)
	if got := warnings(); got == before {
		t.Error("no warning after the level was lowered again")
	}
	if e := h.Refused(protocol.MethodSetLogLevel, protocol.SetLogLevelParams{Level: "loud"}); e.Code != protocol.CodeInvalidParams ||
		!strings.Contains(e.Message, `"loud"`) {
		t.Errorf("another level: %v", e)
	}
}
