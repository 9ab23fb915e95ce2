package router

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestModeFor(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]protocol.GatewayMode{
		"Roo Code": protocol.GatewayDispatch, "Zoo Code": protocol.GatewayDispatch, "zoo-code": protocol.GatewayDispatch,
		"Cline": protocol.GatewayDispatch, "claude-code": protocol.GatewayDispatch,
		"cursor-vscode": protocol.GatewayDynamic, "Visual Studio Code": protocol.GatewayDynamic, "": protocol.GatewayDynamic,
	} {
		if got := ModeFor(protocol.GatewayAuto, client); got != want {
			t.Errorf("%q is served by %s, want %s", client, got, want)
		}
		for _, wish := range []protocol.GatewayMode{protocol.GatewayDynamic, protocol.GatewayAll, protocol.GatewayDispatch} {
			if got := ModeFor(wish, client); got != wish {
				t.Errorf("%q is served by %s although the user wants %s", client, got, wish)
			}
		}
	}
}

func TestServe_modes(t *testing.T) {
	t.Parallel()
	servers := many(2, 3)
	servers[0].Policy.AlwaysLoadTools = toolNames("server00", 1, 1)
	v := viewOf(catalogOf(servers...))
	for mode, want := range map[protocol.GatewayMode]struct {
		tools []string
		meta  string
	}{
		protocol.GatewayDynamic:  {toolNames("server00", 1, 1), "mcp_load"},
		protocol.GatewayDispatch: {nil, "mcp_search mcp_call"},
		protocol.GatewayAll:      {append(toolNames("server00", 0, 3), toolNames("server01", 3, 3)...), ""},
	} {
		task := v.Serve(Task{ID: "t"}, mode)
		if want.tools == nil {
			want.tools = []string{}
		}
		wantNames(t, string(mode), attachedNames(&task), want.tools)
		if got := metaNames(v, &task); got != want.meta {
			t.Errorf("%s: meta tools %q", mode, got)
		}
		if again := v.Serve(task, mode); again.Generation != task.Generation {
			t.Errorf("%s: to serve again changes something", mode)
		}
	}
	off := viewOf(catalogOf(servers...), searchTurns(0))
	task := off.Serve(Task{}, protocol.GatewayDispatch)
	if len(task.Attached) != 6 || metaNames(off, &task) != "" {
		t.Errorf("switched off: %d tools, meta %q", len(task.Attached), metaNames(off, &task))
	}
}

// How many tools a request holds is the client's business, not winnow.maxTools'.
func TestServe_allIsAll(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(many(2, 100)...))
	task := v.Serve(Task{ID: "t"}, protocol.GatewayAll)
	if len(task.Attached) != 200 {
		t.Errorf("%d of 200 tools", len(task.Attached))
	}
	task = v.OfferResult(task)
	if got := metaNames(v, &task); got != "mcp_result" {
		t.Errorf("what was cut cannot be read on: %q", got)
	}
}

// What comes later stands behind what is there, and what goes stays.
func TestServe_onlyGrows(t *testing.T) {
	t.Parallel()
	first := viewOf(catalogOf(numbered("b", 0, 2)))
	task := first.Serve(Task{ID: "t"}, protocol.GatewayAll)
	before := attachedNames(&task)
	grown := viewOf(catalogOf(numbered("a", 10, 2), numbered("b", 0, 2)))
	task = grown.Serve(task, protocol.GatewayAll)
	wantNames(t, "grown", attachedNames(&task), append(before, toolNames("a", 10, 2)...))
	shrunk := viewOf(catalogOf(numbered("a", 10, 2)))
	gone := shrunk.Serve(task, protocol.GatewayAll)
	if gone.Generation != task.Generation || len(gone.Attached) != 4 {
		t.Errorf("a server that went took %d tools with it", 4-len(gone.Attached))
	}
}

// What is loaded in a dynamic session joins it, and a call of a known tool
// runs.
func TestServe_loads(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(many(2, 3)...))
	task := v.Serve(Task{ID: "t"}, protocol.GatewayDynamic)
	task, loaded := v.Load(task, Request{Query: wordFor(4)})
	if len(loaded.Tools) != 1 {
		t.Fatalf("%s", loaded.Text)
	}
	task, decided, err := v.Call(task, "server00_"+wordFor(0))
	if err != nil || decided.Action != Run {
		t.Errorf("%+v, %v", decided, err)
	}
	task = v.Serve(task, protocol.GatewayDynamic)
	wantNames(t, "loaded and called", attachedNames(&task), []string{"server01_" + wordFor(4), "server00_" + wordFor(0)})
}
