package daemon_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// recorded returns what the daemon of a storage path, which has ended, has
// recorded.
func recorded(t *testing.T, storage string, f journal.Filter) []journal.Entry {
	t.Helper()
	var found []journal.Entry
	if err := journal.Read(journal.Dir(storage), f, func(e journal.Entry) bool { found = append(found, e); return true }); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestJournal: each call leaves a line that says who called what and how it
// ended, and never the arguments.
func TestJournal(t *testing.T) {
	t.Parallel()
	s := servers{"s": scripted(t, upstreamtest.Script{})}
	o := daemontest.Options{Workspace: workspaceWith(t, s, nil), Storage: t.TempDir()}
	h := daemontest.Run(t, o)
	h.Initialize(nil)
	untilReady(h, s)
	task := open(h, "echo").Task
	call(h, task, "echo", `{"text":"a secret of the user"}`)
	call(h, task, "echo", `{ "text": "a secret of the user" }`)
	if e := h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: task, Name: "nothing"}); e.Code != protocol.CodeUnknownTool {
		t.Errorf("a tool that is not there: got %v, want code %d", e, protocol.CodeUnknownTool)
	}
	h.Close()

	found := recorded(t, o.Storage, journal.Filter{Kind: journal.Call})
	if len(found) != 2 {
		t.Fatalf("%d calls are recorded, want 2: %+v", len(found), found)
	}
	for _, e := range found {
		if e.Client != "daemontest" || e.Task != task || e.Server != "s" || e.Tool != "echo" || e.Outcome != "ok" ||
			e.DurationMs <= 0 || e.By == "" || e.Arguments != nil {
			t.Errorf("recorded %+v", e)
		}
	}
	if found[0].ArgumentsHash == "" || found[0].ArgumentsHash != found[1].ArgumentsHash {
		t.Errorf("equal arguments have the hashes %q and %q", found[0].ArgumentsHash, found[1].ArgumentsHash)
	}
}
