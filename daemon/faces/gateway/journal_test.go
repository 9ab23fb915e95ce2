package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestJournal_outcomes: how each call ended, who confirmed it and whose it was;
// and that what a server says of a failure is not there, since it may quote the
// arguments. Through the whole: the gateway says who calls and what the user
// answered, and the engine records it.
func TestJournal_outcomes(t *testing.T) {
	t.Parallel()
	std := scripted(t, upstreamtest.Script{Replies: map[string][]byte{
		"tools/call bare": []byte(`"error":{"code":-32602,"message":"no text may be of mine"}`),
	}})
	std.AlwaysAllow = []string{"count"}
	s := servers{"s": std}
	o := daemontest.Options{Workspace: configtest.WorkspaceWith(t, s, nil), Storage: t.TempDir()}
	h := daemontest.Run(t, o)
	h.Initialize(map[string]any{"gateway": map[string]any{"mode": "dispatch"}})
	h.UntilReady(s)
	task := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: "echo"}).Task
	for _, p := range []protocol.TaskCallParams{
		{Task: task, Name: "echo", Arguments: json.RawMessage(`{}`), Consent: protocol.ConsentOnce},
		{Task: task, Name: "count", Arguments: json.RawMessage(`{"steps":1}`)},
		{Task: task, Name: "fail", Arguments: json.RawMessage(`{}`)},
	} {
		daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall, p)
	}
	_ = h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: task, Name: "bare", Arguments: json.RawMessage(`{"text":"of mine"}`)})
	slow := h.Begin(protocol.MethodTaskCall, protocol.TaskCallParams{Task: task, Name: "sleep", Arguments: json.RawMessage(`{"ms":3600000}`)})
	slow.Cancel()
	if _, err := slow.Await(); err == nil {
		t.Error("a cancelled call has an answer")
	}
	declines := meet(t, h, ways()["http"], false)
	declines.Action = mcp.ElicitationResponseActionDecline
	if text, r := callClient(t, declines.Client, "mcp_call", byName("env", map[string]any{})); !r.IsError || !strings.Contains(text, "declined") {
		t.Errorf("a declined call: %s", text)
	}
	h.Close()

	type line struct{ client, tool, outcome, by, detail string }
	got := map[line]bool{}
	for _, e := range enginetest.Recorded(t, o.Storage, journal.Filter{Kind: journal.Call}) {
		got[line{e.Client, e.Tool, e.Outcome, e.By, e.Detail}] = true
		if e.ArgumentsHash == "" || e.Arguments != nil || e.Time.IsZero() || e.Task == "" || e.Server != "s" {
			t.Errorf("recorded %+v", e)
		}
	}
	want := []line{
		{"daemontest", "echo", "ok", "user", ""},
		{"daemontest", "count", "ok", "alwaysAllow", ""},
		{"daemontest", "fail", "error", "client", ""},
		{"daemontest", "bare", "failed", "client", "the server's error, code -32602"},
		{"daemontest", "sleep", "cancelled", "client", ""},
		{"test", "env", "refused", "user", "the user declined this call, and it was not made; do not make it again unless the user asks for it"},
	}
	for _, l := range want {
		if !got[l] {
			t.Errorf("%+v is not recorded", l)
		}
	}
	if len(got) != len(want) || t.Failed() {
		t.Errorf("got %+v", got)
	}
}
