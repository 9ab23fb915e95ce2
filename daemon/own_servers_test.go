package daemon_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestOwnServers: a host's list with the daemon's servers is one list, with one
// scope and one ranking. The daemon runs its own, and hands back the host's; a
// model's call is the host's to make, and comes back.
func TestOwnServers(t *testing.T) {
	t.Parallel()
	h := begin(t, nil, servers{
		"violins": scripted(t, upstreamtest.Script{Tools: []string{tool("tune_violin", "Tunes a violin.")}}),
		"Mail":    scripted(t, upstreamtest.Script{Tools: []string{tool("send", "Sends.")}}),
	}, nil)
	set := func(withOwn bool) {
		daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
			protocol.SetHostToolsParams{Source: "host", Tools: hostTools(200), WithOwn: withOwn})
	}
	set(true)
	a := openRouted(h, "tune the violin, then send an e-mail")
	const own = "mcp__violins__tune_violin"
	if !slices.Contains(names(a), own) || !slices.Contains(names(a), "mcp_mail_send") {
		t.Fatalf("attached are %q", names(a))
	}
	if a.Counts.Scoped != 201 { // the host runs Mail itself
		t.Errorf("%d tools in scope, want 201", a.Counts.Scoped)
	}
	if got := call(h, a.Task, own, `{"id":"1"}`); got != `{"id":"1"}` {
		t.Errorf("the daemon's own tool answered %q", got)
	}
	r := callRaw(h, a.Task, "mcp_mail_send", map[string]any{})
	if r.Host == nil || r.Host.Name != "mcp_mail_send" {
		t.Errorf("the host's tool: %+v", r)
	}
	for name, host := range map[string]bool{own: false, "mcp_mail_send": true} {
		d := daemontest.Call[protocol.TaskDescribeCallResult](h, protocol.MethodTaskDescribeCall,
			protocol.TaskDescribeCallParams{Task: a.Task, Name: name})
		if d.Host != host {
			t.Errorf("%s is the host's: %v, want %v", name, d.Host, host)
		}
	}
	routed := daemontest.Call[protocol.ConversationRouteResult](h, protocol.MethodConversationRoute, protocol.ConversationRouteParams{
		Messages: []protocol.MessageDigest{{Role: "user", Digest: "1"}}, Message: "tune the violin", Source: "host",
	})
	back := daemontest.Call[protocol.ConversationCallResult](h, protocol.MethodConversationCall,
		protocol.ConversationCallParams{Task: routed.Task, Name: own})
	if back.Host == nil || back.Host.Name != own {
		t.Errorf("a model's call of it: %+v", back)
	}
	var listed []string
	for _, s := range daemontest.Call[protocol.CatalogListResult](h, protocol.MethodCatalogList,
		protocol.CatalogListParams{Source: "host", ServersOnly: true}).Servers {
		listed = append(listed, s.Name)
	}
	if slices.Contains(listed, "violins") || !slices.Contains(listed, "mail") {
		t.Errorf("the host's servers are %q", listed)
	}
	// A server that is stopped leaves the list of the host too.
	daemontest.Call[protocol.Empty](h, protocol.MethodServerStop, protocol.ServerParams{Name: "violins"})
	h.UntilState("violins", protocol.ServerStopped)
	if next := openRouted(h, "tune the violin"); strings.Contains(strings.Join(names(next), " "), "violin") {
		t.Errorf("a stopped server's tool is attached: %q", names(next))
	}
	set(false)
	if next := openRouted(h, "send an e-mail"); next.Counts.Scoped != 200 {
		t.Errorf("without the own servers %d tools are in scope", next.Counts.Scoped)
	}
}
