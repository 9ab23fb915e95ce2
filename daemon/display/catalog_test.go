package display

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// shown are the servers of the rows, each as source/name.
func shown(p *protocol.CatalogRowsParams, servers ...protocol.ServerInfo) []string {
	var names []string
	for _, s := range Catalog(p, base, protocol.CatalogListResult{Servers: servers}).Servers {
		names = append(names, s.Source+"/"+s.Name)
	}
	return names
}

// A server that the daemon runs has one row, also while the latest task has it of
// the host; and one that the host has not started has a row too.
func TestCatalogDoubles(t *testing.T) {
	host := protocol.ServerInfo{Name: "a", Source: "h", State: protocol.ServerHost, Tools: 1}
	own := func(name string, state protocol.ServerState) protocol.ServerInfo {
		return protocol.ServerInfo{Name: name, State: state}
	}
	for _, c := range []struct {
		own  protocol.ServerInfo
		want []string
	}{
		{own("a", protocol.ServerReady), []string{"/a", "/z"}},
		{own("b", protocol.ServerReady), []string{"/b", "h/a", "/z"}},
		{own("a", protocol.ServerDisabled), []string{"/a", "/z"}},
		{own("a", protocol.ServerWaitingForConsent), []string{"/a", "h/a", "/z"}},
	} {
		if got := shown(&protocol.CatalogRowsParams{HostServers: []string{"a", "z"}}, c.own, host); !slices.Equal(got, c.want) {
			t.Errorf("%s is %s: got %v, want %v", c.own.Name, c.own.State, got, c.want)
		}
	}
}

// Servers that wait for the user come first, then by name or cost.
func TestCatalogOrder(t *testing.T) {
	servers := []protocol.ServerInfo{
		{Name: "b", Tokens: 1}, {Name: "B2", Tokens: 9},
		{Name: "z", State: protocol.ServerSignedOut}, {Name: "c", Tokens: 9},
		{Name: "a", Tokens: 99, Source: "host", State: protocol.ServerHost},
	}
	for by, want := range map[protocol.CatalogSort][]string{
		"":                  {"/z", "/b", "/B2", "/c", "host/a"},
		protocol.SortByName: {"/z", "/b", "/B2", "/c", "host/a"},
		protocol.SortByCost: {"/z", "/B2", "/c", "/b", "host/a"},
	} {
		if got := shown(&protocol.CatalogRowsParams{Sort: by}, slices.Clone(servers)...); !slices.Equal(got, want) {
			t.Errorf("by %q: got %v, want %v", by, got, want)
		}
	}
}

// The sum is of what is in scope: neither servers that are off, nor what a mode
// keeps out.
func TestCatalogTotals(t *testing.T) {
	some := testServer(func(s *protocol.ServerInfo) { s.Name, s.InScope, s.ScopeTokens, s.Changes = "b", 3, 100, 2 })
	off := testServer(func(s *protocol.ServerInfo) { s.State, s.InScope, s.ScopeTokens = protocol.ServerDisabled, 0, 0 })
	for _, c := range []struct {
		servers []protocol.ServerInfo
		want    string
	}{
		{[]protocol.ServerInfo{*testServer(nil), *some}, "30 tools · 18k tokens"},
		{[]protocol.ServerInfo{*testServer(nil), *off}, "27 tools · 18k tokens"},
		{[]protocol.ServerInfo{*off}, ""},
		{nil, ""},
	} {
		if got := Catalog(&protocol.CatalogRowsParams{}, base, protocol.CatalogListResult{Servers: c.servers}); got.Description != c.want {
			t.Errorf("got %q, want %q", got.Description, c.want)
		}
	}
	list := protocol.CatalogListResult{Servers: []protocol.ServerInfo{*some}}
	if got := Catalog(&protocol.CatalogRowsParams{}, base, list).Badge; got == nil || *got != (protocol.Badge{Value: 2, Tooltip: "2 changes by MCP servers"}) {
		t.Errorf("badge %+v", got)
	}
}

// testCatalog has the servers GitHub and mail with their tools.
var testCatalog = protocol.CatalogListResult{
	Servers: []protocol.ServerInfo{{Name: "GitHub", State: protocol.ServerReady, Tools: 2, InScope: 2}, {Name: "mail", State: protocol.ServerReady, Tools: 1, InScope: 1}},
	Tools: []protocol.ToolInfo{
		{Server: "GitHub", Tool: "mcp_git_list", Tokens: 5},
		{Server: "GitHub", Tool: "mcp_git_create", Description: "Create an issue.", Tokens: 1},
		{Server: "mail", Tool: "send", Title: "Send an issue", Tokens: 3},
	},
}

// A filter finds every word, wherever it stands.
func TestCatalogFilter(t *testing.T) {
	for filter, want := range map[string]string{
		"":           "[GitHub 2 tools · 0 mail 1 tool · 0] []",
		"ISSUE git":  "[GitHub 1 of 2 · 1] [create]",
		"issue":      "[GitHub 1 of 2 · 1 mail 1 tool · 0] [create send]",
		"issue mail": "[mail 1 tool · 0] [send]",
		"hub":        "[GitHub 2 tools · 0] [create list]",
		"hub x":      "[] []",
	} {
		servers, tools := []string{}, []string{}
		result := Catalog(&protocol.CatalogRowsParams{Filter: filter}, base, testCatalog)
		for _, s := range result.Servers {
			servers = append(servers, s.Row.Label+" "+s.Row.Description)
		}
		for _, tool := range result.Tools {
			tools = append(tools, tool.Row.Label)
		}
		if got := fmt.Sprintf("%v %v", servers, tools); got != want {
			t.Errorf("%q: got %s, want %s", filter, got, want)
		}
	}
}

// The tools of a server are ordered, and only one that is asked for alone has a
// tooltip.
func TestTools(t *testing.T) {
	list := protocol.CatalogListResult{Servers: testCatalog.Servers[:1], Tools: testCatalog.Tools[:2]}
	for want, p := range map[string]protocol.ToolRowsParams{
		"create list ": {},
		"list create ": {Sort: protocol.SortByCost},
		"list!":        {Tool: "mcp_git_list"},
	} {
		got := ""
		for _, tool := range Tools(&p, list).Tools {
			got += tool.Tool[len("mcp_git_"):]
			if tool.Row.Tooltip == "" {
				got += " "
			} else {
				got += "!"
			}
		}
		if got != want {
			t.Errorf("%+v: got %q, want %q", p, got, want)
		}
	}
	if got := Tools(&protocol.ToolRowsParams{}, protocol.CatalogListResult{}).Tools; len(got) != 0 {
		t.Errorf("tools of no server: %v", got)
	}
}

// TestCatalogFaults: what is not in effect stands above the servers, which it may
// be why some are missing, and what is only odd does not.
func TestCatalogFaults(t *testing.T) {
	t.Parallel()
	list := protocol.CatalogListResult{Faults: []protocol.FileFault{
		{File: "/w/.vscode/winnow.json", Line: 3, Column: 10, Message: "invalid JSON", Next: "write a value"},
		{File: "/w/.vscode/winnow.json", Line: 5, Message: "no such tool", Warning: true},
	}}
	got := Catalog(&protocol.CatalogRowsParams{}, base, list).Faults
	if len(got) != 2 || got[0].Row == nil || got[1].Row != nil {
		t.Fatalf("got %+v, want a row of the first alone", got)
	}
	row := got[0].Row
	if row.Label != "winnow.json:3" || row.Description != "invalid JSON" || !strings.Contains(row.Tooltip, "Write a value") {
		t.Errorf("got %+v, want the place, what is wrong and what to do", row)
	}
	if found := Catalog(&protocol.CatalogRowsParams{Filter: "x"}, base, list).Faults; found[0].Row != nil {
		t.Errorf("with a filter: got %+v, want no row", found[0].Row)
	}
}
