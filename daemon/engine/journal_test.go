package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/hosttest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// journalled is an engine on a server of the standard tools, and a task of it.
func journalled(t *testing.T) (h *enginetest.Host, task string) {
	t.Helper()
	h = enginetest.Begin(t, nil, configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	return h, h.Open("echo").Task
}

// TestJournal: each call leaves a line that says who called what and how it
// ended, and never the arguments.
func TestJournal(t *testing.T) {
	t.Parallel()
	h, task := journalled(t)
	h.CallText(task, "echo", `{"text":"a secret of the user"}`)
	h.CallText(task, "echo", `{ "text": "a secret of the user" }`)
	if e := enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: "nothing"}); e.Data.Kind != protocol.KindUnknownTool {
		t.Errorf("a tool that is not there: got %v, want %s", e, protocol.KindUnknownTool)
	}
	h.Close()

	found := enginetest.Recorded(t, h.Options.Storage, journal.Filter{Kind: journal.Call})
	if len(found) != 2 {
		t.Fatalf("%d calls are recorded, want 2: %+v", len(found), found)
	}
	for _, e := range found {
		if e.Client != "enginetest" || e.Task != task || e.Server != "s" || e.Tool != "echo" || e.Outcome != "ok" ||
			e.DurationMs <= 0 || e.By == "" || e.Arguments != nil || e.Had != journal.HadFull {
			t.Errorf("recorded %+v", e)
		}
	}
	if found[0].ArgumentsHash == "" || found[0].ArgumentsHash != found[1].ArgumentsHash {
		t.Errorf("equal arguments have the hashes %q and %q", found[0].ArgumentsHash, found[1].ArgumentsHash)
	}
}

// TestJournal_intent: a call that may write is in the record while it runs, and
// stays there without an end where the daemon is killed; its end takes the place
// of that.
func TestJournal_intent(t *testing.T) {
	t.Parallel()
	h, task := journalled(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = h.TaskCall(ctx, &protocol.TaskCallParams{Task: task, Name: "sleep", Arguments: []byte(`{"ms":3600000}`)})
	}()
	calls := func() []journal.Entry {
		return enginetest.Recorded(t, h.Options.Storage, journal.Filter{Kind: journal.Call})
	}
	h.Until("the call to be recorded before it ends", func() bool { return len(calls()) == 1 })
	if e := calls()[0]; e.Outcome != journal.Unknown || e.Tool != "sleep" || e.ArgumentsHash == "" {
		t.Errorf("recorded %+v while it runs", e)
	}
	cancel()
	<-ended
	h.Close()
	if found := calls(); len(found) != 1 || found[0].Outcome != journal.Cancelled || found[0].DurationMs <= 0 {
		t.Errorf("recorded %+v at its end", found)
	}
}

// TestJournal_texts: the text of arguments and of a server's error is there when
// the setting says so, and from then on.
func TestJournal_texts(t *testing.T) {
	t.Parallel()
	h, task := journalled(t)
	h.CallText(task, "echo", `{"text":"before"}`)
	h.ChangeSettings(`{"journal":{"arguments":true}}`)
	h.CallText(task, "echo", `{ "text": "after" }`)
	_ = enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: "refuse", Arguments: json.RawMessage(`{}`)})
	h.Close()

	found := enginetest.Recorded(t, h.Options.Storage, journal.Filter{Kind: journal.Call})
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
	s := configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{}), "other": configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("other_tool", "Other.")}})}
	h := enginetest.Begin(t, nil, s, nil)
	task := h.Open("echo").Task
	h.CallText(task, "echo", `{"text":"of mine"}`)
	h.CallText(task, "other_tool", `{}`)
	h.CallText(task, "fail", `{}`)
	list := func(p protocol.JournalListParams) protocol.JournalListResult {
		t.Helper()
		return enginetest.Call(h, h.JournalList, p)
	}
	got := list(protocol.JournalListParams{Limit: 3})
	if len(got.Entries) != 3 || !got.Truncated || got.Entries[0].Title != "s/fail" || got.Entries[2].Title != "s/echo" {
		t.Fatalf("got %+v", got)
	}
	newest := got.Entries[0]
	if !strings.HasPrefix(newest.Outcome, "error, ") || !strings.Contains(newest.Details, "for enginetest") || newest.Time == "" {
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
		if e := enginetest.Refused(h, h.JournalList, protocol.JournalListParams{Limit: limit}); !strings.Contains(e.Message, "limit") {
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
	s := configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{})}
	h := enginetest.Start(t, enginetest.Options{
		Workspace: configtest.WorkspaceWith(t, s, nil),
		Environ: func(name string) (string, bool) {
			if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
				return collector.URL, true
			}
			return "", false
		},
	}, nil)
	h.UntilReady(s)
	h.CallText(h.Open("echo").Task, "echo", `{"text":"of mine"}`)
	// Before the session ends: its end waits for no collector that takes its time.
	var all []byte
	for over := time.After(hosttest.Patience); !bytes.Contains(all, []byte("tools/call echo")); {
		select {
		case body := <-bodies:
			all = append(all, body...)
		case <-over:
			t.Fatalf("the collector got %q, want the call", all)
		}
	}
	if bytes.Contains(all, []byte("of mine")) {
		t.Errorf("the collector got %q", all)
	}
}
