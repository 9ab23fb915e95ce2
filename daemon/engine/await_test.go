package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestEngine_awaitServers: a server that was not started yet is waited for, and
// no other, until the time is over or the caller gives up.
func TestEngine_awaitServers(t *testing.T) {
	t.Parallel()
	e := open(t, host.None{}, `{"servers": {"notes": {"command": "notes-server"}, "off": {"command": "off-server", "disabled": true}}}`)
	for name, tt := range map[string]struct {
		params protocol.ServerWaitParams
		want   []string
	}{
		"now":             {protocol.ServerWaitParams{}, []string{"notes"}},
		"after a while":   {protocol.ServerWaitParams{TimeoutMs: 1}, []string{"notes"}},
		"one of a name":   {protocol.ServerWaitParams{Name: "notes"}, []string{"notes"}},
		"one that is off": {protocol.ServerWaitParams{Name: "off", TimeoutMs: 60_000}, []string{}},
	} {
		got, err := e.AwaitServers(t.Context(), &tt.params)
		if err != nil || !slices.Equal(got.Starting, tt.want) || len(got.Servers) != 2 {
			t.Errorf("%s: got %v of %d servers, %v; want %v of 2", name, got.Starting, len(got.Servers), err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.AwaitServers(ctx, &protocol.ServerWaitParams{TimeoutMs: 60_000}); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: got %v, want context.Canceled", err)
	}
}

// TestEngine_resume: a task that is open where its state has it stays as it is,
// and one that has gone on since goes back.
func TestEngine_resume(t *testing.T) {
	t.Parallel()
	e := open(t, host.None{}, `{}`)
	handOver(t, e, 100)
	work, err := e.Turns.Open(t.Context(), &protocol.TaskOpenParams{Message: "send an e-mail", Source: "host", WantState: true})
	first := done(t, work, err)
	entry, err := e.Tasks.Get(principal.Local, first.Task)
	if err != nil {
		t.Fatal(err)
	}
	same, err := e.Turns.Resume(&protocol.TaskResumeParams{State: *first.State})
	if err != nil || same.Turn != 1 || len(same.Tools) != len(first.Tools) {
		t.Errorf("where it is: got turn %d, %d tools, %v; want turn 1, %d tools", same.Turn, len(same.Tools), err, len(first.Tools))
	}
	if now, err := e.Tasks.Get(principal.Local, first.Task); err != nil || now != entry {
		t.Errorf("the task was opened anew: %v", err)
	}
	if _, err := e.Turns.Turn(t.Context(), entry, &protocol.TaskTurnParams{Task: first.Task, Message: "and another thing"}); err != nil {
		t.Fatal(err)
	}
	back, err := e.Turns.Resume(&protocol.TaskResumeParams{State: *first.State})
	if err != nil || back.Turn != 1 || len(back.Tools) != len(first.Tools) {
		t.Errorf("after another turn: got turn %d, %d tools, %v; want turn 1, %d tools", back.Turn, len(back.Tools), err, len(first.Tools))
	}
}
