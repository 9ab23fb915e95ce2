package engine_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestJournal: each call leaves a line that says who called what and how it
// ended, and never the arguments.
func TestJournal(t *testing.T) {
	t.Parallel()
	s := configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{})}
	o := enginetest.Options{Workspace: configtest.WorkspaceWith(t, s, nil), Storage: t.TempDir()}
	h := enginetest.Start(t, o, nil)
	h.UntilReady(s)
	task := h.Open("echo").Task
	h.CallText(task, "echo", `{"text":"a secret of the user"}`)
	h.CallText(task, "echo", `{ "text": "a secret of the user" }`)
	if e := enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: "nothing"}); e.Data.Kind != protocol.KindUnknownTool {
		t.Errorf("a tool that is not there: got %v, want %s", e, protocol.KindUnknownTool)
	}
	h.Close()

	found := enginetest.Recorded(t, o.Storage, journal.Filter{Kind: journal.Call})
	if len(found) != 2 {
		t.Fatalf("%d calls are recorded, want 2: %+v", len(found), found)
	}
	for _, e := range found {
		if e.Client != "enginetest" || e.Task != task || e.Server != "s" || e.Tool != "echo" || e.Outcome != "ok" ||
			e.DurationMs <= 0 || e.By == "" || e.Arguments != nil {
			t.Errorf("recorded %+v", e)
		}
	}
	if found[0].ArgumentsHash == "" || found[0].ArgumentsHash != found[1].ArgumentsHash {
		t.Errorf("equal arguments have the hashes %q and %q", found[0].ArgumentsHash, found[1].ArgumentsHash)
	}
}
