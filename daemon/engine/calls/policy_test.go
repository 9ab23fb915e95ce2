package calls_test

import (
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
