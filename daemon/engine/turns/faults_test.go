package turns_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestFaults_tombstones: what was attached stays within the turn as it was when
// its server dies, is stopped or leaves the file; a call answers with the
// cause. With so few tools nothing is chosen, and with the next message those of
// a server that is stopped or gone leave; one that died may come back.
func TestFaults_tombstones(t *testing.T) {
	t.Parallel()
	all := configtest.Servers{
		"dies":  configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("exit", "Exits.")}, ExitOn: "never", LastWords: "out of cheese"}),
		"stops": configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("stopped_tool", "Stays.")}}),
		"goes":  configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("gone_tool", "Goes.")}}),
	}
	h := enginetest.Begin(t, nil, all, nil)
	a := h.Open("anything")
	checkNames := func(when string, a protocol.Attachment, want string) {
		t.Helper()
		if got := strings.Join(enginetest.Names(a), " "); got != want {
			t.Errorf("%s the task has %q, want %q", when, got, want)
		}
	}
	checkNames("at first", a, "exit gone_tool stopped_tool")

	refused := func(name string) *enginetest.Refusal {
		return enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: a.Task, Name: name})
	}
	if e := refused("exit"); e.Data.Kind != protocol.KindUnavailable || !strings.Contains(e.Message, "out of cheese") || e.Data.Server != "dies" {
		t.Errorf("a call in which the server died: %v", e)
	}
	enginetest.Call(h, h.ServerStop, protocol.ServerParams{Name: "stops"})
	h.UntilState("stops", protocol.ServerStopped)
	if e := refused("stopped_tool"); e.Data.Kind != protocol.KindUnavailable || !strings.Contains(e.Message, "stopped") || e.Data.Next == "" {
		t.Errorf("a call of a stopped server: %v", e)
	}
	delete(all, "goes")
	configtest.Save(t, h.Options.Workspace, all, nil)
	h.Until("the server to go", func() bool { _, ok := h.Server("goes"); return !ok })
	if e := refused("gone_tool"); e.Data.Kind != protocol.KindUnavailable || !strings.Contains(e.Message, "gone") || e.Data.Next == "" {
		t.Errorf("a call of a server that left: %v", e)
	}
	checkNames("then", h.Turn(a.Task, "go on"), "exit")
	checkNames("a new one", h.Open("anything"), "exit")

	enginetest.Call(h, h.ServerRestart, protocol.ServerParams{Name: "stops"})
	h.UntilState("stops", protocol.ServerReady)
	if got := h.CallText(a.Task, "stopped_tool", `{"id":"1"}`); got != `{"id":"1"}` {
		t.Errorf("after a restart it answered %q", got)
	}
	if e := enginetest.Refused(h, h.ServerStop, protocol.ServerParams{Name: "none"}); e.Data.Kind != protocol.KindUnknownServer {
		t.Errorf("an unknown server: %v", e)
	}
}

// TestFaults_listChanged: tools that a server adds later are in the catalogue,
// and in a task from its next turn on.
func TestFaults_listChanged(t *testing.T) {
	t.Parallel()
	all := configtest.Servers{"restive": configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("first", "First.")}, ChangeEvery: 30 * time.Millisecond})}
	h := enginetest.Begin(t, nil, all, nil)
	a := h.Open("anything")
	before := h.Catalog() // it may hold a later tool already
	version := before.Version
	known := func(i protocol.ToolInfo) bool {
		return slices.ContainsFunc(before.Tools, func(b protocol.ToolInfo) bool { return b.Tool == i.Tool })
	}
	h.Until("another tool", func() bool {
		now := h.Catalog()
		added := slices.ContainsFunc(now.Tools, func(i protocol.ToolInfo) bool { return !known(i) })
		if added && now.Version <= version {
			t.Error("the catalogue changed and its version did not")
		}
		return added
	})
	h.Until("a word to the host", func() bool {
		return slices.ContainsFunc(h.Changes(), func(p protocol.CatalogDidChangeParams) bool {
			return p.Version > version && slices.Contains(p.Servers, "restive")
		})
	})
	next := h.Turn(a.Task, "go on")
	// The server has one tool of this kind at a time; a may hold one already.
	added := slices.ContainsFunc(enginetest.Names(next), func(name string) bool { return !slices.Contains(enginetest.Names(a), name) })
	if !added || next.Tools[0].Name != a.Tools[0].Name {
		t.Errorf("the next turn attaches %v after %v, want another one behind the first", enginetest.Names(next), enginetest.Names(a))
	}
}
