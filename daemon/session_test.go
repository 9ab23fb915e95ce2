package daemon_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestSession_lifecycle(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	if e := h.Refused(protocol.MethodCatalogList, protocol.Empty{}); e.Code != protocol.CodeServerNotInitialized {
		t.Errorf("a call before initialize: %v", e)
	}
	h.Notify(protocol.MethodDidGrantTrust, protocol.Empty{}) // dropped, and nothing breaks
	wrong := h.InitializeParams(nil)
	wrong.ProtocolVersion = 99
	if e := h.Refused(protocol.MethodInitialize, wrong); e.Data.Kind != protocol.KindVersion || e.Data.Next == "" {
		t.Errorf("another protocol version: %v", e)
	}
	r := h.Initialize(nil)
	if r.Server.Name != "winnowd" || r.Server.Version != "test" || r.ProtocolVersion != 1 {
		t.Errorf("initialize answered %+v", r)
	}
	if e := h.Refused(protocol.MethodInitialize, h.InitializeParams(nil)); e.Data.Kind != protocol.KindLifecycle {
		t.Errorf("initialize twice: %v", e)
	}
	if e := h.Refused("no/such", nil); e.Code != protocol.CodeMethodNotFound {
		t.Errorf("an unknown method: %v", e)
	}
	if e := h.Refused(protocol.MethodTaskOpen, map[string]any{"message": 7}); e.Code != protocol.CodeInvalidParams {
		t.Errorf("wrong params: %v", e)
	}
	h.Notify("$/unknown", nil)
	daemontest.Call[protocol.Empty](h, protocol.MethodShutdown, protocol.Empty{})
	if e := h.Refused(protocol.MethodCatalogList, protocol.Empty{}); e.Data.Kind != protocol.KindLifecycle {
		t.Errorf("a call after shutdown: %v", e)
	}
	h.Notify(protocol.MethodExit, protocol.Empty{})
	if err := h.Wait(); err != nil {
		t.Errorf("exit after shutdown: %v", err)
	}
}

// hostTools returns n tools of a host, of which one sends mail.
func hostTools(n int) []protocol.HostTool {
	verbs := []string{"create", "delete", "list", "update", "archive"}
	nouns := []string{"ticket", "invoice", "branch", "dashboard", "playlist", "recipe", "reservation", "sensor"}
	tools := []protocol.HostTool{{
		Server: "mail", Name: "mcp_mail_send", Description: "Send an e-mail to somebody.",
		InputSchema: []byte(`{"type": "object", "properties": {"to": {"type": "string"}}}`),
	}}
	for i := 1; i < n; i++ {
		verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
		name := "mcp_" + noun + "_" + verb + strings.Repeat("x", i/len(verbs)/len(nouns))
		tools = append(tools, protocol.HostTool{
			Server: noun, Name: name, Description: strings.ToUpper(verb[:1]) + verb[1:] + " a " + noun + ".",
			InputSchema: []byte(`{"type":"object","properties":{"id":{"type":"string"}}}`),
		})
	}
	return tools
}

func TestSession_hostTools(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(nil)
	set := protocol.SetHostToolsParams{Source: "vscode", Tools: hostTools(200)}
	r := daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, set)
	if r.Count != 200 {
		t.Fatalf("%+v", r)
	}
	if again := daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, set); again.Version != r.Version {
		t.Errorf("the same list made version %d after %d", again.Version, r.Version)
	}
	open := protocol.TaskOpenParams{Message: "send an e-mail to my boss", Source: "vscode"}
	a := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, open)
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
	call := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: "MCP-mail_send"})
	if call.Host == nil || call.Host.Name != "mcp_mail_send" || string(call.Host.Arguments) != "{}" || !call.IsError {
		t.Errorf("a call of a tool of the host's: got %+v, want the host to make it", call)
	}
	if e := h.Refused(protocol.MethodTaskOpen, protocol.TaskOpenParams{Source: "other"}); e.Data.Kind != protocol.KindUnknownSource {
		t.Errorf("an unknown source: %v", e)
	}
	if e := h.Refused(protocol.MethodTaskTurn, protocol.TaskTurnParams{Task: "none"}); e.Data.Kind != protocol.KindUnknownTask {
		t.Errorf("an unknown task: %v", e)
	}
}

func TestSession_brokenConfigIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, ".vscode", "winnow.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{\n  \"servers\": {\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := daemontest.Run(t, daemontest.Options{Workspace: dir})
	h.Initialize(map[string]any{"serchTurns": 3})
	h.Until("both problems", func() bool {
		told := ""
		for _, n := range h.Notes() {
			if n.Method == protocol.MethodShowMessage {
				told += string(n.Params)
			}
		}
		return strings.Contains(told, "winnow.serchTurns") && strings.Contains(told, "winnow.json")
	})
}

// TestSession_serversOnly: the servers of a large catalogue come without their
// tools, and each one's tools by its name.
func TestSession_serversOnly(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(nil)
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
		protocol.SetHostToolsParams{Source: "vscode", Tools: hostTools(200)})
	list := func(p protocol.CatalogListParams) protocol.CatalogListResult {
		p.Source = "vscode"
		return daemontest.Call[protocol.CatalogListResult](h, protocol.MethodCatalogList, p)
	}
	all, servers := list(protocol.CatalogListParams{}), list(protocol.CatalogListParams{ServersOnly: true})
	if len(servers.Tools) != 0 || len(servers.Servers) != len(all.Servers) || servers.Servers[0].Tools != all.Servers[0].Tools {
		t.Errorf("%d servers and %d tools, want %d servers", len(servers.Servers), len(servers.Tools), len(all.Servers))
	}
	if one := list(protocol.CatalogListParams{Server: "mail"}); len(one.Servers) != 1 || len(one.Tools) != 1 {
		t.Errorf("one server answered %+v", one)
	}
}

// TestSession_noFrames: a host that sends no frames is told why the daemon ends.
func TestSession_noFrames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n": "read from the host: frame header: no Content-Length",
		"Content-Length: x\r\n\r\n":         `Content-Length "x" is no length`,
		"Content-Length: 5\r\n\r\n{":        "", // it died in the middle of a frame
		"":                                  "",
	} {
		err := daemon.New(daemon.Options{}).Run(t.Context(), strings.NewReader(in), io.Discard)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}
