package workspace_test

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestModes_name: a task says its mode as people know it; one that is gone has
// no name.
func TestModes_name(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, nil, nil, configtest.Modes{"review": {Name: "Code Review"}})
	enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "hello", Mode: "review"})
	if list := h.Tasks().Tasks; len(list) != 1 || list[0].Mode != "review" || list[0].ModeName != "Code Review" {
		t.Errorf("got %+v, want one task in the mode review, Code Review", list)
	}
	if got := h.Engine.Modes.Name("gone"); got != "" {
		t.Errorf("a mode that is gone: got %q", got)
	}
}

// TestModes_takesAway: a task says how many tools its mode takes away, without those
// that a server's own entry keeps out anyway.
func TestModes_takesAway(t *testing.T) {
	t.Parallel()
	gone := configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("one", ""), configtest.Tool("two", ""), configtest.Tool("three", "")}})
	gone.DisabledTools = []string{"three"}
	h := enginetest.Begin(t, nil, configtest.Servers{"gone": gone, "kept": configtest.Scripted(t, upstreamtest.Script{})},
		configtest.Modes{"review": {BlockedMcpServers: []string{"gone"}}})
	for mode, want := range map[string]int{"": 0, "review": 2} {
		opened := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "hello", Mode: mode})
		list := h.Tasks().Tasks
		if last := list[len(list)-1]; last.Task != opened.Task || last.OutOfMode != want {
			t.Errorf("mode %q: got %+v, want %d tools taken away", mode, last, want)
		}
	}
}

// TestModes_aChangeIsTold: the host hears at once that the lists of a mode
// changed, for its own servers and ours: other tools are in scope.
func TestModes_aChangeIsTold(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, nil, configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{})}, configtest.Modes{"review": {BlockedMcpServers: []string{"s"}}})
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{
		Source: "vscode", Tools: []protocol.HostTool{{Server: "theirs", Name: "x"}},
	})
	before := len(h.Changes())
	enginetest.Call(h, h.ModeSetServerBlocked,
		protocol.ModeSetServerBlockedParams{Mode: "review", Server: "s", Blocked: false})
	after := h.Changes()[before:]
	for source, server := range map[string]string{"": "s", "vscode": "theirs"} {
		if !slices.ContainsFunc(after, func(p protocol.CatalogDidChangeParams) bool {
			return p.Source == source && slices.Contains(p.Servers, server)
		}) {
			t.Errorf("nothing is said of %s of %q: %+v", server, source, after)
		}
	}
}
