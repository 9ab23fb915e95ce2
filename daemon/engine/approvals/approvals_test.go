package approvals_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/approvals"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// list has each approval in a line.
func list(h *enginetest.Host) []string {
	var lines []string
	for _, a := range enginetest.Call(h, h.ApprovalList, protocol.Empty{}).Approvals {
		lines = append(lines, fmt.Sprintf("%s %s %s %d", a.Kind, a.Server, a.Tool, a.Count))
		if a.ID == "" || a.Since == 0 {
			lines = append(lines, fmt.Sprintf("%+v", a))
		}
	}
	return lines
}

// TestApprovals: every kind of yes is listed, and is no yes any more when it was
// taken back.
func TestApprovals(t *testing.T) {
	t.Parallel()
	reads := `{"name":"reads","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`
	s := configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{Tools: []string{reads, configtest.Tool("writes", "Writes."), configtest.Tool("sends", "Sends.")}})}
	h := enginetest.Begin(t, map[string]any{"gating": map[string]any{"servers": []string{"other"}}}, s, nil)
	task := h.Open("one").Task
	for tool, consent := range map[string]protocol.CallConsent{"reads": protocol.ConsentOnce, "writes": protocol.ConsentTask, "sends": protocol.ConsentAlways} {
		enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: tool, Arguments: []byte("{}"), Consent: consent})
	}
	want := []string{
		"alwaysAllow std sends 0", "chat std sends 0", "chat std writes 0", "consent std  0", "gating other  0", "ran std reads 0",
	}
	if got := list(h); !slices.Equal(got, want) {
		t.Fatalf("listed are %q, want %q", got, want)
	}
	h.ApproveAll("std")
	if got := list(h); !slices.Contains(got, "reviewed std  4") || slices.Contains(got, "ran std reads 0") {
		t.Errorf("after all was approved, listed are %q", got)
	}
	asks := func(tool string) bool {
		return enginetest.Call(h, h.TaskDescribeCall, protocol.TaskDescribeCallParams{Task: task, Name: tool}).Confirm
	}
	for _, tool := range []string{"reads", "writes", "sends"} {
		if asks(tool) {
			t.Errorf("somebody is asked about %s before anything is taken back", tool)
		}
	}
	for _, a := range enginetest.Call(h, h.ApprovalList, protocol.Empty{}).Approvals {
		p := protocol.ApprovalRevokeParams{ID: a.ID}
		switch a.Kind {
		case protocol.ApprovalGating:
			if e := enginetest.Refused(h, h.ApprovalRevoke, p); e.Data.Kind != protocol.KindInvalidParams || e.Data.Server != "other" {
				t.Errorf("a setting is taken back: %v", e)
			}
		case protocol.ApprovalConsent: // below: the server ends with it
		default:
			enginetest.Call(h, h.ApprovalRevoke, p)
		}
	}
	if got := list(h); !slices.Equal(got, []string{"consent std  0", "gating other  0"}) {
		t.Errorf("all was taken back, and listed are %q", got)
	}
	for _, tool := range []string{"reads", "writes", "sends"} {
		h.Until("a question about "+tool, func() bool { return asks(tool) })
	}
	consent := enginetest.Call(h, h.ApprovalList, protocol.Empty{}).Approvals[0]
	enginetest.Call(h, h.ApprovalRevoke, protocol.ApprovalRevokeParams{ID: consent.ID})
	h.UntilState("std", protocol.ServerWaitingForConsent)
	if e := enginetest.Refused(h, h.ApprovalRevoke, protocol.ApprovalRevokeParams{ID: consent.ID}); e.Data.Kind != protocol.KindInvalidParams {
		t.Errorf("taken back twice: %v", e)
	}
}

// TestApprovals_revokedElsewhere: what one process takes back of a lock, another
// that runs on the same storage does not go on with.
func TestApprovals_revokedElsewhere(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir(), Storage: t.TempDir()}
	configtest.Save(t, o.Workspace, configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	h := enginetest.Start(t, o, nil)
	h.UntilState("std", protocol.ServerReady)
	h.ApproveAll("std")
	h.Close()
	reviewed := func(h *enginetest.Host) (id string) {
		for _, a := range h.Engine.Approvals.List() {
			if a.Kind == protocol.ApprovalReviewed {
				return a.ID
			}
		}
		return ""
	}
	running, other := enginetest.Start(t, o, nil), enginetest.Start(t, o, nil)
	running.UntilState("std", protocol.ServerReady)
	if reviewed(running) == "" {
		t.Fatal("the review is not in the list")
	}
	enginetest.Call(other, other.ApprovalRevoke, protocol.ApprovalRevokeParams{ID: reviewed(other)})
	running.Until("the other process's answer to count", func() bool { return reviewed(running) == "" })
}

// TestApprovals_since: since when something is approved outlives the session,
// and begins anew when it was taken away meanwhile.
func TestApprovals_since(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.UnixMilli(1_000_000)
	there := true
	keepers := map[protocol.ApprovalKind]approvals.Keeper{protocol.ApprovalGating: {List: func() []protocol.Approval {
		if !there {
			return nil
		}
		return []protocol.Approval{{Server: "a"}}
	}}}
	open := func() *approvals.Book {
		b, err := approvals.Open(approvals.Options{Storage: dir, Now: func() time.Time { return now }}, keepers)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	since := func(b *approvals.Book) time.Duration {
		all := b.List()
		if len(all) != 1 {
			t.Fatalf("%+v", all)
		}
		return time.Duration(all[0].Since-1_000_000) * time.Millisecond
	}
	if got := since(open()); got != 0 {
		t.Errorf("it is there since %s", got)
	}
	now = now.Add(time.Hour)
	b := open()
	if got := since(b); got != 0 {
		t.Errorf("in the next session it is there since %s", got)
	}
	there = false
	if all := b.List(); len(all) != 0 {
		t.Fatalf("%+v", all)
	}
	there = true
	if got := since(b); got != time.Hour {
		t.Errorf("given anew it is there since %s, want an hour", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.approvals"))
	if err != nil || len(files) != 1 || os.WriteFile(files[0], []byte("no"), 0o600) != nil {
		t.Fatalf("%q, %v", files, err)
	}
	if _, err := approvals.Open(approvals.Options{Storage: dir, Now: time.Now}, keepers); err == nil {
		t.Error("a damaged file is not told of")
	}
}
