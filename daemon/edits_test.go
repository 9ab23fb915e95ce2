package daemon_test

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestUndoAfterRestart: a host that still offers to undo an edit of an earlier
// daemon undoes no other one by that.
func TestUndoAfterRestart(t *testing.T) {
	t.Parallel()
	o := daemontest.Options{Workspace: t.TempDir()}
	save(t, o.Workspace, servers{"s": scripted(t, upstreamtest.Script{})}, nil)
	edit := func(enabled bool) (*daemontest.Host, protocol.EditResult) {
		h := daemontest.Run(t, o)
		h.Initialize(nil)
		h.UntilState("s", protocol.ServerReady)
		return h, daemontest.Call[protocol.EditResult](h, protocol.MethodToolSetEnabled,
			protocol.ToolSetEnabledParams{Server: "s", Tool: "echo", Enabled: enabled})
	}
	_, first := edit(false)
	h, second := edit(true)
	if !first.Changed || !second.Changed {
		t.Fatalf("the edits changed nothing: %+v, %+v", first, second)
	}
	now := readFile(t, winnowFile(o.Workspace))
	e := h.Refused(protocol.MethodEditUndo, protocol.EditUndoParams{Edit: first.Edit})
	if e.Code != protocol.CodeInvalidParams || !strings.Contains(e.Message, "winnowd was started anew") {
		t.Errorf("an edit of an earlier daemon: %v", e)
	}
	if after := readFile(t, winnowFile(o.Workspace)); after != now {
		t.Errorf("the file was changed:\n%s", after)
	}
}
