package catalog_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestOwnServers: a host's list with the daemon's servers is one list, with one
// scope and one ranking. The daemon runs its own, and hands back the host's; a
// model's call is the host's to make, and comes back.
func TestOwnServers(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, nil, configtest.Servers{
		"violins": configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("tune_violin", "Tunes a violin.")}}),
		"Mail":    configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("send", "Sends.")}}),
	}, nil)
	set := func(withOwn bool) {
		enginetest.Call(h, h.SetHostTools,
			protocol.SetHostToolsParams{Source: "host", Tools: enginetest.HostTools(200), WithOwn: withOwn})
	}
	set(true)
	a := h.OpenRouted("tune the violin, then send an e-mail")
	const own = "mcp__violins__tune_violin"
	if !slices.Contains(enginetest.Names(a), own) || !slices.Contains(enginetest.Names(a), "mcp_mail_send") {
		t.Fatalf("attached are %q", enginetest.Names(a))
	}
	if a.Counts.Scoped != 201 { // the host runs Mail itself
		t.Errorf("%d tools in scope, want 201", a.Counts.Scoped)
	}
	if got := h.CallText(a.Task, own, `{"id":"1"}`); got != `{"id":"1"}` {
		t.Errorf("the daemon's own tool answered %q", got)
	}
	r := h.CallTool(a.Task, "mcp_mail_send", map[string]any{})
	if r.Host == nil || r.Host.Name != "mcp_mail_send" {
		t.Errorf("the host's tool: %+v", r)
	}
	for name, host := range map[string]bool{own: false, "mcp_mail_send": true} {
		d := enginetest.Call(h, h.TaskDescribeCall,
			protocol.TaskDescribeCallParams{Task: a.Task, Name: name})
		if d.Host != host {
			t.Errorf("%s is the host's: %v, want %v", name, d.Host, host)
		}
	}
	routed := enginetest.Call(h, h.ConversationRoute, protocol.ConversationRouteParams{
		Messages: []protocol.MessageDigest{{Role: "user", Digest: "1"}}, Message: "tune the violin", Source: "host",
	})
	back := enginetest.Call(h, h.ConversationCall,
		protocol.ConversationCallParams{Task: routed.Task, Name: own})
	if back.Host == nil || back.Host.Name != own {
		t.Errorf("a model's call of it: %+v", back)
	}
	for _, withOwn := range []bool{false, true} {
		list := enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Source: "host", WithOwn: withOwn})
		servers, tools := map[string]protocol.ServerInfo{}, map[protocol.ToolRef]protocol.ToolInfo{}
		for _, s := range list.Servers {
			servers[s.Name] = s
		}
		for _, tool := range list.Tools {
			tools[protocol.ToolRef{Server: tool.Server, Tool: tool.Tool}] = tool
		}
		if _, ok := servers["violins"]; ok != withOwn || servers["mail"].Name == "" {
			t.Errorf("with the own servers %t: the host's servers are %v", withOwn, slices.Collect(maps.Keys(servers)))
		}
		tune := tools[protocol.ToolRef{Server: "violins", Tool: "tune_violin"}]
		if withOwn && (servers["violins"].State != protocol.ServerReady || tune.Name != own || !tune.InScope) {
			t.Errorf("its own server %+v has %+v", servers["violins"], tune)
		}
	}
	// A server that is stopped leaves the list of the host too.
	enginetest.Call(h, h.ServerStop, protocol.ServerParams{Name: "violins"})
	h.UntilState("violins", protocol.ServerStopped)
	h.Until("its tool to leave the host's list", func() bool {
		return !slices.Contains(enginetest.Names(h.OpenRouted("tune the violin")), own)
	})
	set(false)
	if next := h.OpenRouted("send an e-mail"); next.Counts.Scoped != 200 {
		t.Errorf("without the own servers %d tools are in scope", next.Counts.Scoped)
	}
}
