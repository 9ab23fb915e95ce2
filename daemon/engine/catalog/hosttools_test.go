package catalog_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestHostTools_listMayChange: a conversation goes on with another list of the
// host's tools, and keeps what it has.
func TestHostTools_listMayChange(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, nil)
	late := protocol.HostTool{Server: "weather", Name: "mcp_weather_forecast", Description: "Forecast the weather of a city."}
	for source, tools := range map[string][]protocol.HostTool{"vscode:1": enginetest.HostTools(100), "vscode:2": append(enginetest.HostTools(100), late)} {
		enginetest.Call(h, h.SetHostTools,
			protocol.SetHostToolsParams{Source: source, Tools: tools})
	}
	ask := func(source, list, message string) protocol.Attachment {
		r := enginetest.Call(h, h.ConversationRoute,
			protocol.ConversationRouteParams{Conversation: "chat", Source: source, Messages: enginetest.Digests(list), Message: message})
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

// TestHostTools_builtInName: a server that is called as VS Code's own tools are is
// held to the rules for servers.
func TestHostTools_builtInName(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, nil)
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "vscode:1", Tools: []protocol.HostTool{
		{Server: "VS Code", Tool: "view_image", Name: "view_image", Description: "Shows a picture.", BuiltIn: true},
		{Server: "VS Code", Tool: "send", Name: "z_vs_code_send", Description: "Sends a message."},
	}})
	list := enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Source: "vscode:1"})
	for _, tool := range list.Tools {
		if tool.Name == "z_vs_code_send" && tool.Lock == "" {
			t.Errorf("the lock knows nothing of %+v", tool)
		}
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
	h := enginetest.Start(t, enginetest.Options{Workspace: dir}, nil)
	tools := []protocol.HostTool{
		{Server: "mail", Name: "mcp_mail_server_send", Tool: "send"},
		{Server: "mail", Name: "mcp_mail_server_drop", Tool: "drop"},
	}
	enginetest.Call(h, h.SetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: tools})
	h.Until("the question about the words", func() bool { return len(h.Catalog().Consents) == 1 })
	h.Allow("mail")
	var list protocol.CatalogListResult
	h.Until("the policy", func() bool {
		list = enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Source: "vscode"})
		return list.Tools[0].Override == "Mail it."
	})
	if !list.Tools[0].InScope || list.Tools[1].InScope || list.Tools[1].Cause == nil ||
		*list.Tools[1].Cause != (protocol.Cause{Kind: protocol.CauseServer, Owner: "mail", Key: "onlyAllow"}) {
		t.Errorf("%+v", list.Tools)
	}
}

// TestHostTools_hideNothing: what only a model would read is taken out of a
// host's tools too, and the host is told.
func TestHostTools_hideNothing(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"searchTurns": 0})
	const hidden = "\U000E0061\U000E0062"
	set := enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{
		Source: "vscode:1", Tools: []protocol.HostTool{
			{Server: "mail", Name: "send", Description: "Send\u200B it." + hidden},
			{Server: "mail", Name: "read", InputSchema: []byte(`{"type":"object","properties":{"a` + hidden + `":{}}}`)},
		},
	})
	if len(set.Warnings) != 2 || !strings.Contains(set.Warnings[0], "2 Unicode tag characters, 1 zero-width character") ||
		!strings.Contains(set.Warnings[1], `"read" of "mail" is left out`) {
		t.Errorf("warnings %q", set.Warnings)
	}
	a := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Source: "vscode:1", Message: "send mail"})
	if len(a.Tools) != 1 || a.Tools[0].Description != "Send it." {
		t.Errorf("attached %+v, want one tool described as %q", a.Tools, "Send it.")
	}
}

// TestHostTools_takenNames: what is left out of a host's list is told at the
// server that offers it, where its user sees it.
func TestHostTools_takenNames(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, nil)
	set := enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{
		Source: "vscode", Tools: []protocol.HostTool{{Server: "mail", Name: "send"}, {Server: "fax", Name: "send"}, {Server: "fax", Name: "mcp_load"}},
	})
	if set.Count != 1 || len(set.Warnings) != 2 {
		t.Errorf("got %d tools and warnings %q, want 1 and two", set.Count, set.Warnings)
	}
	list := enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Source: "vscode"})
	for _, server := range list.Servers {
		want := map[string]int{"mail": 0, "fax": 2}[server.Name]
		if len(server.Warnings) != want {
			t.Errorf("%s: got warnings %q, want %d", server.Name, server.Warnings, want)
		}
	}
}

func TestHostTools(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, nil)
	set := protocol.SetHostToolsParams{Source: "vscode", Tools: enginetest.HostTools(200)}
	r := enginetest.Call(h, h.SetHostTools, set)
	if r.Count != 200 {
		t.Fatalf("%+v", r)
	}
	if again := enginetest.Call(h, h.SetHostTools, set); again.Version != r.Version {
		t.Errorf("the same list made version %d after %d", again.Version, r.Version)
	}
	open := protocol.TaskOpenParams{Message: "send an e-mail to my boss", Source: "vscode"}
	a := enginetest.Call(h, h.TaskOpen, open)
	if a.Mode != protocol.AttachDynamic || len(a.Tools) != 30 || a.Counts.Scoped != 200 || len(a.MetaTools) != 1 {
		t.Errorf("attached %d of %d, %s, %d meta tools", len(a.Tools), a.Counts.Scoped, a.Mode, len(a.MetaTools))
	}
	found := false
	for _, tool := range a.Tools {
		found = found || tool.Name == "mcp_mail_send" && tool.Reason == protocol.ReasonRanked
	}
	if !found {
		t.Error("mcp_mail_send is not attached")
	}
	call := enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{Task: a.Task, Name: "MCP-mail_send"})
	if call.Host == nil || call.Host.Name != "mcp_mail_send" || string(call.Host.Arguments) != "{}" || !call.IsError {
		t.Errorf("a call of a tool of the host's: got %+v, want the host to make it", call)
	}
	if e := enginetest.Refused(h, h.TaskOpen, protocol.TaskOpenParams{Source: "other"}); e.Data.Kind != protocol.KindUnknownSource {
		t.Errorf("an unknown source: %v", e)
	}
	if e := enginetest.Refused(h, h.TaskTurn, protocol.TaskTurnParams{Task: "none"}); e.Data.Kind != protocol.KindUnknownTask {
		t.Errorf("an unknown task: %v", e)
	}
}

// TestList_serversOnly: the servers of a large catalogue come without their
// tools, and each one's tools by its name.
func TestList_serversOnly(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, nil)
	enginetest.Call(h, h.SetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: enginetest.HostTools(200)})
	list := func(p protocol.CatalogListParams) protocol.CatalogListResult {
		p.Source = "vscode"
		return enginetest.Call(h, h.CatalogList, p)
	}
	all, servers := list(protocol.CatalogListParams{}), list(protocol.CatalogListParams{ServersOnly: true})
	if len(servers.Tools) != 0 || len(servers.Servers) != len(all.Servers) || servers.Servers[0].Tools != all.Servers[0].Tools {
		t.Errorf("%d servers and %d tools, want %d servers", len(servers.Servers), len(servers.Tools), len(all.Servers))
	}
	if one := list(protocol.CatalogListParams{Server: "mail"}); len(one.Servers) != 1 || len(one.Tools) != 1 {
		t.Errorf("one server answered %+v", one)
	}
}

// TestList_mode: what a mode takes away is counted, and what another rule keeps
// out is none of it.
func TestList_mode(t *testing.T) {
	t.Parallel()
	mail := configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("send", "Sends."), configtest.Tool("fetch", "Fetches."), configtest.Tool("drop", "Drops.")}})
	mail.DisabledTools = []string{"drop"}
	h := enginetest.Begin(t, nil, configtest.Servers{"mail": mail}, configtest.Modes{"quiet": {BlockedMcpServers: []string{"mail"}}})
	for mode, want := range map[string]int{"quiet": 2, "": 0} {
		list := enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Mode: mode})
		if got := list.Servers[0].OutOfMode; got != want {
			t.Errorf("mode %q takes %d tools away, want %d", mode, got, want)
		}
	}
}

// TestHostTools_lockPerList: what a list of a host's tools shows of a server can be
// answered, though a newer list of the host says something else of it.
func TestHostTools_lockPerList(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, nil)
	for source, text := range map[string]string{"vscode:1": "Sends a mail.", "vscode:2": "Sends a mail, at once."} {
		enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{
			Source: source, Tools: []protocol.HostTool{{Server: "mail", Name: "mcp_mail_send", Description: text}},
		})
	}
	for _, source := range []string{"vscode:1", "vscode:2"} {
		list := enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Source: source})
		answer := protocol.LockDecideParams{Source: source, Server: "mail", Content: list.Servers[0].Content}
		if r, err := enginetest.Try(h, h.LockApprove, answer); err != nil || r.Count != 1 {
			t.Errorf("%s: approved %+v, %v; want its one tool", source, r, err)
		}
		tool := protocol.LockDecideParams{Source: source, Server: "mail", Kind: protocol.LockTool, Name: "mcp_mail_send", Content: list.Tools[0].Content}
		if _, err := enginetest.Try(h, h.LockApprove, tool); err != nil {
			t.Errorf("%s: the tool alone: %v", source, err)
		}
	}
}

// TestHostTools_disabledServer: a server of the host's that a file switches off
// says so, and says nothing any more once it is switched on again.
func TestHostTools_disabledServer(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{Workspace: t.TempDir()}, nil)
	tools := []protocol.HostTool{{Server: "mail", Name: "mcp_mail_send", Description: "Sends a mail."}}
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "vscode", Tools: tools})
	off := protocol.Cause{Kind: protocol.CauseServer, Owner: "mail", Key: "disabled"}
	for _, enabled := range []bool{false, true} {
		enginetest.Call(h, h.ServerSetEnabled, protocol.ServerSetEnabledParams{Name: "mail", Enabled: enabled})
		mail := enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Source: "vscode", ServersOnly: true}).Servers[0]
		if got := mail.Cause == nil; got != enabled || !enabled && *mail.Cause != off {
			t.Errorf("enabled %t: the cause is %+v, want %+v while it is off", enabled, mail.Cause, off)
		}
		if mail.State != protocol.ServerHost || mail.InScope == 0 == enabled {
			t.Errorf("enabled %t: it is %s with %d tools", enabled, mail.State, mail.InScope)
		}
	}
}

// benchHostTools returns the tools of a host with many servers, 50 of each.
func benchHostTools(n int) []protocol.HostTool {
	tools := make([]protocol.HostTool, n)
	for i := range tools {
		server := fmt.Sprintf("server_%d", i/50)
		tools[i] = protocol.HostTool{
			Name: fmt.Sprintf("mcp__%s__do_thing_%d", server, i), Server: server,
			Description: fmt.Sprintf("Does the thing number %d of %s, and returns what came of it. Use it where the other things do not fit.", i, server),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","description":"The first of them."},"b":{"type":"integer","description":"The second."},"c":{"type":"array","items":{"type":"string"}}},"required":["a"]}`),
		}
	}
	return tools
}

// pause is as long as people take to write.
var pause = flag.Duration("pause", 0, "how `long` the first task of BenchmarkHostTools comes after the tools")

// BenchmarkHostTools hands over the tools of a host, and opens the first task on them.
func BenchmarkHostTools(b *testing.B) {
	for _, n := range []int{1000, 10_000, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tools := benchHostTools(n)
			for b.Loop() {
				b.StopTimer()
				h := enginetest.Begin(b, nil, nil, nil)
				b.StartTimer()
				begun := time.Now()
				enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "host", Tools: tools})
				handed := time.Since(begun)
				time.Sleep(*pause)
				asked := time.Now()
				enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Source: "host", Message: "do the thing number 7"})
				b.ReportMetric(float64(handed.Microseconds())/float64(n), "µs/tool")
				b.ReportMetric(float64(time.Since(asked).Milliseconds()), "ms/task")
				b.StopTimer()
				h.Close()
				b.StartTimer()
			}
		})
	}
}
