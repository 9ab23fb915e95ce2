package daemon_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

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

// TestJournal_outcomes: how each call ended, who confirmed it and whose it was;
// and that what a server says of a failure is not there, since it may quote the
// arguments.
func TestJournal_outcomes(t *testing.T) {
	t.Parallel()
	std := scripted(t, upstreamtest.Script{Replies: map[string][]byte{
		"tools/call bare": []byte(`"error":{"code":-32602,"message":"no text may be of mine"}`),
	}})
	std.AlwaysAllow = []string{"count"}
	s := servers{"s": std}
	o := daemontest.Options{Workspace: workspaceWith(t, s, nil), Storage: t.TempDir()}
	h := daemontest.Run(t, o)
	h.Initialize(map[string]any{"gateway": map[string]any{"mode": "dispatch"}})
	untilReady(h, s)
	task := open(h, "echo").Task
	daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall,
		protocol.TaskCallParams{Task: task, Name: "echo", Arguments: json.RawMessage(`{}`), Confirmed: true})
	call(h, task, "count", `{"steps":1}`)
	call(h, task, "fail", `{}`)
	h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: task, Name: "bare", Arguments: json.RawMessage(`{"text":"of mine"}`)})
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
	for _, e := range recorded(t, o.Storage, journal.Filter{Kind: journal.Call}) {
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

// TestJournal_list: the view gets what has just happened, the newest first, and
// a limit outside its bounds is refused.
func TestJournal_list(t *testing.T) {
	t.Parallel()
	s := servers{"s": scripted(t, upstreamtest.Script{}), "other": scripted(t, upstreamtest.Script{Tools: []string{tool("other_tool", "Other.")}})}
	h := begin(t, nil, s, nil)
	task := open(h, "echo").Task
	call(h, task, "echo", `{"text":"of mine"}`)
	call(h, task, "other_tool", `{}`)
	call(h, task, "fail", `{}`)
	list := func(p protocol.JournalListParams) protocol.JournalListResult {
		t.Helper()
		return daemontest.Call[protocol.JournalListResult](h, protocol.MethodJournalList, p)
	}
	got := list(protocol.JournalListParams{Limit: 3})
	if len(got.Entries) != 3 || !got.Truncated || got.Entries[0].Title != "s/fail" || got.Entries[2].Title != "s/echo" {
		t.Fatalf("got %+v", got)
	}
	newest := got.Entries[0]
	if !strings.HasPrefix(newest.Outcome, "error, ") || !strings.Contains(newest.Details, "for daemontest") || newest.Time == "" {
		t.Errorf("the newest is %+v", newest)
	}
	if strings.Contains(string(got.Entries[2].Record), "of mine") {
		t.Errorf("the record has the arguments: %s", got.Entries[2].Record)
	}
	for _, e := range list(protocol.JournalListParams{Server: "other"}).Entries {
		if !strings.HasPrefix(e.Title, "other") {
			t.Errorf("of the server other: %+v", e)
		}
	}
	for _, limit := range []int{-1, protocol.MaxJournalEntries + 1} {
		if e := h.Refused(protocol.MethodJournalList, protocol.JournalListParams{Limit: limit}); !strings.Contains(e.Message, "limit") {
			t.Errorf("limit %d: %v", limit, e)
		}
	}
}

// TestJournal_sent: where the environment names a collector, a call arrives
// there, without what it was called with.
func TestJournal_sent(t *testing.T) {
	t.Parallel()
	bodies := make(chan []byte, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies <- body
	}))
	t.Cleanup(collector.Close)
	s := servers{"s": scripted(t, upstreamtest.Script{})}
	h := daemontest.Run(t, daemontest.Options{
		Workspace: workspaceWith(t, s, nil),
		Environ: func(name string) (string, bool) {
			if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
				return collector.URL, true
			}
			return os.LookupEnv(name)
		},
	})
	h.Initialize(nil)
	untilReady(h, s)
	call(h, open(h, "echo").Task, "echo", `{"text":"of mine"}`)
	h.Close()
	close(bodies)
	var all []byte
	for body := range bodies {
		all = append(all, body...)
	}
	if !bytes.Contains(all, []byte("tools/call echo")) || bytes.Contains(all, []byte("of mine")) {
		t.Errorf("the collector got %q", all)
	}
}
