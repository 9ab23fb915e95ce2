package daemon_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

// realRestart ends a daemon and starts another one in its place, with servers
// that start at their first call: the catalogue is complete before any server
// answers, and a task goes on with the same bytes.
func realRestart(t *testing.T, h *daemontest.Host) {
	a := open(h, "read the file notes.txt")
	a = turn(h, a.Task, "remember what it says as entities")
	a = daemontest.Call[protocol.TaskLoadResult](h, protocol.MethodTaskLoad,
		protocol.TaskLoadParams{Task: a.Task, Query: "start a trace", WantState: true}).Attachment
	catalog := h.Catalog()
	h.Close()

	next := daemontest.Start(t, winnowd(t), h.Options)
	next.Initialize(map[string]any{"initialK": realInitialK, "searchK": realSearchK, "servers": map[string]any{"start": "lazy"}})
	again := next.Catalog()
	for _, s := range again.Servers {
		if s.State != protocol.ServerKnown {
			t.Errorf("%s is %s after the restart, want %s", s.Name, s.State, protocol.ServerKnown)
		}
	}
	if !reflect.DeepEqual(again.Tools, catalog.Tools) {
		t.Errorf("the catalogue has %d tools after the restart and %d before, or others", len(again.Tools), len(catalog.Tools))
	}
	resumed := daemontest.Call[protocol.Attachment](next, protocol.MethodTaskResume, protocol.TaskResumeParams{State: *a.State})
	if !bytes.Equal(wire(t, resumed.Tools), wire(t, a.Tools)) || resumed.Task != a.Task || resumed.Turn != a.Turn ||
		resumed.Tokens != a.Tokens || len(resumed.MetaTools) != len(a.MetaTools) {
		t.Errorf("resumed as %+v with %v, was %+v with %v", resumed.Counts, names(resumed), a.Counts, names(a))
	}
	after := turn(next, a.Task, "list the network requests")
	if len(after.Tools) <= len(a.Tools) || !bytes.Equal(wire(t, after.Tools[:len(a.Tools)]), wire(t, a.Tools)) || after.Turn != a.Turn+1 {
		t.Errorf("turn %d of the resumed task attaches %v", after.Turn, names(after))
	}
	if got := call(next, a.Task, "echo", `{"message":"hello"}`); got == "" {
		t.Error("the first call of a lazy server answered nothing")
	}
	first := next.UntilState("everything", protocol.ServerReady)
	if first.FirstUseMs <= 0 || first.StartMs <= 0 {
		t.Errorf("the first use took %d ms and the start %d ms", first.FirstUseMs, first.StartMs)
	}
	for _, s := range next.Catalog().Servers {
		if s.Name != "everything" && s.State != protocol.ServerKnown {
			t.Errorf("%s is %s although nobody called it", s.Name, s.State)
		}
	}
}
