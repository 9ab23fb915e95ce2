package calls_test

import (
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestTaskDescribeCall: a host learns what a call would run, and nothing runs.
func TestTaskDescribeCall(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "received")
	reads := `{"name":"echo","title":"Echo it","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`
	s := configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{
		Tools: []string{reads, configtest.Tool("fail", "Writes."), configtest.Tool("count", "Writes."), configtest.Tool("7", "Writes.")}, ReceivedFile: file,
	})}
	h := enginetest.Begin(t, map[string]any{"threshold": 1, "initialK": 1}, s, nil)
	a := h.Open("reads")
	enginetest.Call(h, h.ToolApprove,
		protocol.ToolApproveParams{Server: "std", Tool: "count", Approved: true})
	for _, step := range []struct {
		name, arguments string
		want            protocol.TaskDescribeCallResult
	}{
		// What only its server says does not spare the question.
		{"echo", `{"text":"x"}`, protocol.TaskDescribeCallResult{Server: "std", Tool: "echo", Title: "Echo it", ReadOnly: true, Confirm: true}},
		// Not attached, and named as another client would.
		{"mcp__std__fail", `{"text":"x"}`, protocol.TaskDescribeCallResult{Server: "std", Tool: "fail", Confirm: true}},
		{"count", `{"text":"x"}`, protocol.TaskDescribeCallResult{Server: "std", Tool: "count", Approved: true}},
		{"mcp_call", `{"name":"fail","arguments":{"text":"x"}}`, protocol.TaskDescribeCallResult{Server: "std", Tool: "fail", Confirm: true}},
		{"mcp_call", `{"name":7,"arguments":{"text":"x"}}`, protocol.TaskDescribeCallResult{Server: "std", Tool: "7", Confirm: true}},
		{"mcp_call", `{"name":"no such tool"}`, protocol.TaskDescribeCallResult{Meta: true}},
		{"mcp_load", `{"query":"x"}`, protocol.TaskDescribeCallResult{Meta: true}},
	} {
		got := enginetest.Call(h, h.TaskDescribeCall,
			protocol.TaskDescribeCallParams{Task: a.Task, Name: step.name, Arguments: []byte(step.arguments)})
		if !step.want.Meta && string(got.Arguments) != `{"text":"x"}` {
			t.Errorf("%s %s: the tool would get %s", step.name, step.arguments, got.Arguments)
		}
		got.Arguments = nil
		if got.Server != step.want.Server || got.Tool != step.want.Tool || got.Title != step.want.Title ||
			got.Meta != step.want.Meta || got.ReadOnly != step.want.ReadOnly || got.Approved != step.want.Approved || got.Confirm != step.want.Confirm {
			t.Errorf("%s %s is described as %+v, want %+v", step.name, step.arguments, got, step.want)
		}
	}
	if e := enginetest.Refused(h, h.TaskDescribeCall, protocol.TaskDescribeCallParams{Task: a.Task, Name: "no such tool"}); e.Data.Kind != protocol.KindUnknownTool {
		t.Errorf("an unknown tool: %v", e)
	}
	if n := configtest.Received(t, file); n != 0 {
		t.Errorf("%d calls were made", n)
	}
	after := enginetest.Call(h, h.TaskTurn, protocol.TaskTurnParams{Task: a.Task, Message: ""})
	if after.Generation != a.Generation {
		t.Errorf("describing calls took the task from generation %d to %d", a.Generation, after.Generation)
	}
}
