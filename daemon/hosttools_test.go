package daemon_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestHostTools_listMayChange: a conversation goes on with another list of the
// host's tools, and keeps what it has.
func TestHostTools_listMayChange(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(nil)
	late := protocol.HostTool{Server: "weather", Name: "mcp_weather_forecast", Description: "Forecast the weather of a city."}
	for source, tools := range map[string][]protocol.HostTool{"vscode:1": hostTools(100), "vscode:2": append(hostTools(100), late)} {
		daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
			protocol.SetHostToolsParams{Source: source, Tools: tools})
	}
	ask := func(source, list, message string) protocol.Attachment {
		r := daemontest.Call[protocol.ConversationRouteResult](h, protocol.MethodConversationRoute,
			protocol.ConversationRouteParams{Conversation: "chat", Source: source, Messages: messages(list), Message: message})
		return r.Attachment
	}
	first := ask("vscode:1", "s u1", "send an e-mail to my boss")
	second := ask("vscode:2", "s u1 a1 u2", "forecast the weather in the city")
	if first.Task != second.Task || second.Counts.Scoped != first.Counts.Scoped+1 {
		t.Fatalf("task %s with %d tools, then %s with %d", first.Task, first.Counts.Scoped, second.Task, second.Counts.Scoped)
	}
	for i := range first.Tools {
		if second.Tools[i].Name != first.Tools[i].Name {
			t.Fatalf("place %d was %s, is %s", i, first.Tools[i].Name, second.Tools[i].Name)
		}
	}
	if !slices.ContainsFunc(second.Tools, func(a protocol.AttachedTool) bool { return a.Name == late.Name }) {
		t.Error("the new tool is not attached")
	}
}

// TestHostTools_policyByOwnName: a policy names tools as their server does,
// whatever the host makes of the names.
func TestHostTools_policyByOwnName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, ".vscode", "winnow.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	policy := `{"servers": {"mail": {"onlyAllow": ["send"], "toolDescriptionOverrides": {"send": "Mail it."}}}}`
	if err := os.WriteFile(file, []byte(policy), 0o644); err != nil {
		t.Fatal(err)
	}
	h := daemontest.Run(t, daemontest.Options{Workspace: dir})
	h.Initialize(nil)
	tools := []protocol.HostTool{
		{Server: "mail", Name: "mcp_mail_server_send", Tool: "send"},
		{Server: "mail", Name: "mcp_mail_server_drop", Tool: "drop"},
	}
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: tools})
	var list protocol.CatalogListResult
	h.Until("the policy", func() bool {
		list = daemontest.Call[protocol.CatalogListResult](h, protocol.MethodCatalogList, protocol.CatalogListParams{Source: "vscode"})
		return list.Tools[0].Override == "Mail it."
	})
	if !list.Tools[0].InScope || list.Tools[1].InScope || list.Tools[1].Rule != `onlyAllow of server "mail"` {
		t.Errorf("%+v", list.Tools)
	}
}

// TestHostTools_hideNothing: what only a model would read is taken out of a
// host's tools too, and the host is told.
func TestHostTools_hideNothing(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(map[string]any{"searchTurns": 0})
	const hidden = "\U000E0061\U000E0062"
	set := daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, protocol.SetHostToolsParams{
		Source: "vscode:1", Tools: []protocol.HostTool{
			{Server: "mail", Name: "send", Description: "Send\u200B it." + hidden},
			{Server: "mail", Name: "read", InputSchema: []byte(`{"type":"object","properties":{"a` + hidden + `":{}}}`)},
		},
	})
	if len(set.Warnings) != 2 || !strings.Contains(set.Warnings[0], "2 Unicode tag characters, 1 zero-width character") ||
		!strings.Contains(set.Warnings[1], `"read" of "mail" is left out`) {
		t.Errorf("warnings %q", set.Warnings)
	}
	a := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Source: "vscode:1", Message: "send mail"})
	if len(a.Tools) != 1 || a.Tools[0].Description != "Send it." {
		t.Errorf("attached %+v, want one tool described as %q", a.Tools, "Send it.")
	}
}

// TestHostTools_takenNames: what is left out of a host's list is told at the
// server that offers it, where its user sees it.
func TestHostTools_takenNames(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(nil)
	set := daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, protocol.SetHostToolsParams{
		Source: "vscode", Tools: []protocol.HostTool{{Server: "mail", Name: "send"}, {Server: "fax", Name: "send"}, {Server: "fax", Name: "mcp_load"}},
	})
	if set.Count != 1 || len(set.Warnings) != 2 {
		t.Errorf("got %d tools and warnings %q, want 1 and two", set.Count, set.Warnings)
	}
	list := daemontest.Call[protocol.CatalogListResult](h, protocol.MethodCatalogList, protocol.CatalogListParams{Source: "vscode"})
	for _, server := range list.Servers {
		want := map[string]int{"mail": 0, "fax": 2}[server.Name]
		if len(server.Warnings) != want {
			t.Errorf("%s: got warnings %q, want %d", server.Name, server.Warnings, want)
		}
	}
}
