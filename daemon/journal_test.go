package daemon_test

import (
	"encoding/json"
	"strings"
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

// TestJournal_texts: the text of arguments and of a server's error is there when
// the setting says so, and from then on.
func TestJournal_texts(t *testing.T) {
	t.Parallel()
	s := servers{"s": scripted(t, upstreamtest.Script{})}
	o := daemontest.Options{Workspace: workspaceWith(t, s, nil), Storage: t.TempDir()}
	h := daemontest.Run(t, o)
	h.Initialize(nil)
	untilReady(h, s)
	task := open(h, "echo").Task
	call(h, task, "echo", `{"text":"before"}`)
	h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: json.RawMessage(`{"journal":{"arguments":true}}`)})
	call(h, task, "echo", `{ "text": "after" }`)
	h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: task, Name: "refuse", Arguments: json.RawMessage(`{}`)})
	h.Close()

	found := recorded(t, o.Storage, journal.Filter{Kind: journal.Call})
	if len(found) != 3 {
		t.Fatalf("%d calls are recorded, want 3: %+v", len(found), found)
	}
	if found[0].Arguments != nil || string(found[1].Arguments) != `{"text":"after"}` {
		t.Errorf("the arguments are %q before, %q after", found[0].Arguments, found[1].Arguments)
	}
	if !strings.Contains(found[2].Detail, "bad arguments") {
		t.Errorf("the error is %q, want the server's words", found[2].Detail)
	}
}
