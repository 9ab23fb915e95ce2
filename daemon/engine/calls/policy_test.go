package calls_test

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestPolicy: who is asked before a call, after each way in which a person can
// have said yes.
func TestPolicy(t *testing.T) {
	t.Parallel()
	reads := `{"name":"reads","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`
	for _, tt := range []struct {
		name    string
		consent protocol.CallConsent
		approve bool
		// asks about the next call of the same task, and of another.
		reads, writes, otherReads, otherWrites bool
	}{
		{"nothing", "", false, true, true, true, true},
		{"once", protocol.ConsentOnce, false, false, true, false, true},
		{"in the task", protocol.ConsentTask, false, false, false, false, true},
		{"always", protocol.ConsentAlways, false, false, false, false, false},
		{"approved in the review", "", true, false, true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{Tools: []string{reads, configtest.Tool("writes", "Writes.")}})}
			h := enginetest.Begin(t, nil, s, nil)
			if tt.approve {
				h.ApproveAll("std")
			}
			task, other := h.Open("one").Task, h.Open("two").Task
			if tt.consent != "" {
				for _, tool := range []string{"reads", "writes"} {
					enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: tool, Arguments: []byte("{}"), Consent: tt.consent})
				}
			}
			for _, want := range []struct {
				task, tool string
				asks       bool
			}{{task, "reads", tt.reads}, {task, "writes", tt.writes}, {other, "reads", tt.otherReads}, {other, "writes", tt.otherWrites}} {
				h.Until("the answer to be in force", func() bool {
					return enginetest.Call(h, h.TaskDescribeCall, protocol.TaskDescribeCallParams{Task: want.task, Name: want.tool}).Confirm == want.asks
				})
			}
		})
	}
}

// TestRead: what a client runs unasked because it reads, it runs only where a
// person has approved of the tool, and only for a tool that says that it reads.
func TestRead(t *testing.T) {
	t.Parallel()
	reads := `{"name":"reads","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`
	s := configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{Tools: []string{reads, configtest.Tool("writes", "Writes.")}})}
	h := enginetest.Begin(t, nil, s, nil)
	task := h.Open("one").Task
	refused := func(tool string) bool {
		r := h.CallTool(task, "mcp_read", enginetest.ByName(tool, nil))
		said := strings.Contains(enginetest.Text(r), "call it by mcp_call")
		if said != r.IsError {
			t.Errorf("%s: %+v: %s", tool, r, enginetest.Text(r))
		}
		return said
	}
	if !refused("reads") || !refused("writes") {
		t.Error("a tool that nobody has approved of runs unasked")
	}
	for _, tool := range []string{"reads", "writes"} { // as the user's own file would
		enginetest.Call(h, h.ToolApprove, protocol.ToolApproveParams{Server: "std", Tool: tool, Approved: true})
	}
	h.Until("alwaysAllow to be in force", func() bool { return !refused("reads") })
	if !refused("writes") {
		t.Error("a tool that is always allowed, and may write, runs as one that reads")
	}
	enginetest.Call(h, h.ToolApprove, protocol.ToolApproveParams{Server: "std", Tool: "reads"})
	h.Until("alwaysAllow to be over", func() bool { return refused("reads") })
	h.ApproveAll("std")
	h.Until("the approval to be in force", func() bool { return !refused("reads") })
	if !refused("writes") {
		t.Error("a tool that does not say that it reads runs unasked")
	}
}
