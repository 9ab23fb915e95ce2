//go:build unix

package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/door"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// Two clients and the host share one process of the server.
func TestMCP_joinsTheRunningDaemon(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pids")
	s := servers{"std": scripted(t, upstreamtest.Script{PIDFile: file})}
	workspace := workspaceWith(t, s, nil)
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace})
	h.Initialize(map[string]any{"threshold": 1, "gateway": map[string]any{"mode": "dynamic"}})
	untilReady(h, s)
	one, two := startMCP(t, nil, "-workspace", workspace), startMCP(t, nil, "-workspace", workspace)
	if got := listNames(t, one); !slices.Equal(got, []string{"mcp_load", "mcp_call"}) {
		t.Fatalf("%q", got)
	}
	callClient(t, one, "mcp_load", map[string]any{"names": []string{"echo"}})
	if got := listNames(t, one); !slices.Equal(got, []string{"mcp_load", "mcp_call", "echo"}) {
		t.Errorf("%q", got)
	}
	if text, r := callClient(t, one, "echo", map[string]any{"text": "hi"}); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("%s", text)
	}
	if got := listNames(t, two); !slices.Equal(got, []string{"mcp_load", "mcp_call"}) {
		t.Errorf("another session sees %q", got)
	}
	if all := pids(t, file); len(all) != 1 {
		t.Errorf("the server runs as %v", all)
	}
	if err := one.Close(); err != nil {
		t.Errorf("the client does not end well: %v", err)
	}
	if text, _ := callClient(t, two, "echo", map[string]any{"text": "still here"}); !strings.Contains(text, "still") {
		t.Errorf("%s", text)
	}
}

// Without a daemon the process serves by itself, and takes its servers along
// when it ends.
func TestMCP_alone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pids")
	workspace := workspaceWith(t, servers{"std": scripted(t, upstreamtest.Script{PIDFile: file})}, nil)
	home, settings := t.TempDir(), filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(settings, []byte(`{"gateway":{"mode":"all"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home}
	storage := t.TempDir()
	c := startMCP(t, env, "-workspace", workspace, "-storage", storage, "-settings", settings, "-trust")
	// It is answered before the server is up; a call of its tools waits for it.
	listNames(t, c)
	if text, r := callClient(t, c, "echo", map[string]any{"text": "hi"}); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("%s", text)
	}
	if got := listNames(t, c); !slices.Contains(got, "echo") || slices.Contains(got, "mcp_load") {
		t.Errorf("%q", got)
	}
	if err := c.Close(); err != nil {
		t.Errorf("the process does not end well: %v", err)
	}
	if all := pids(t, file); len(all) != 1 || alive(all[0]) {
		t.Errorf("of the servers %v one outlives the client", all)
	}
	if left, _ := filepath.Glob(filepath.Join(storage, "manifests", "*")); len(left) != 1 {
		t.Errorf("the storage holds %v", left)
	}
}

// What a repository brings along does not start because a client is in it.
func TestMCP_startsNothingUntrusted(t *testing.T) {
	t.Parallel()
	workspace := workspaceWith(t, servers{"std": scripted(t, upstreamtest.Script{})}, nil)
	c := startMCP(t, []string{"HOME=" + t.TempDir()}, "-workspace", workspace, "-storage", t.TempDir())
	if text, r := callClient(t, c, "echo", nil); !r.IsError {
		t.Errorf("the server of an untrusted workspace runs: %s", text)
	}
}

// The servers of another client's file start by a flag.
func TestMCP_consent(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	e := scripted(t, upstreamtest.Script{})
	file := filepath.Join(workspace, ".mcp.json")
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"std": e}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + t.TempDir()}
	without := startMCP(t, env, "-workspace", workspace, "-storage", t.TempDir(), "-trust")
	if text, r := callClient(t, without, "echo", nil); !r.IsError {
		t.Errorf("without consent it runs: %s", text)
	}
	with := startMCP(t, env, "-workspace", workspace, "-storage", t.TempDir(), "-trust", "-consent", file)
	if text, r := callClient(t, with, "echo", nil); r.IsError {
		t.Errorf("%s", text)
	}
}

// The daemon that a client has joined ends, with a call under way: so does the
// client's process, and neither hangs.
func TestMCP_endsWithTheDaemon(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "received")
	s := servers{"std": scripted(t, upstreamtest.Script{ReceivedFile: file})}
	workspace := workspaceWith(t, s, nil)
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace})
	h.Initialize(map[string]any{"gateway": map[string]any{"mode": "all"}})
	untilReady(h, s)
	c := startMCP(t, nil, "-workspace", workspace)
	listNames(t, c)
	ended := make(chan error, 1)
	go func() {
		var r mcp.CallToolRequest
		r.Params.Name, r.Params.Arguments = "sleep", map[string]any{"ms": 600000}
		_, err := c.CallTool(context.WithoutCancel(t.Context()), r)
		ended <- err
	}()
	h.Until("the call to be under way", func() bool { return received(t, file) == 1 })
	h.Close()
	// It may be answered with an error of the tool's still, or not at all.
	t.Logf("the call ended with %v", <-ended)
	if _, err := c.ListTools(context.WithoutCancel(t.Context()), mcp.ListToolsRequest{}); err == nil {
		t.Error("a client without a daemon is answered")
	}
}

// The doors are those of the folders that are open now.
func TestMCP_followsTheFolders(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	h := daemontest.Run(t, daemontest.Options{Workspace: first})
	h.Initialize(nil)
	knock := func(folder string) error {
		c, err := door.Knock(door.Place{}, folder)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	h.Catalog()
	if err := knock(first); err != nil {
		t.Error(err)
	}
	if err := knock(second); !errors.Is(err, door.ErrNobody) {
		t.Errorf("%v", err)
	}
	h.Notify(protocol.MethodDidChangeFolders, protocol.DidChangeFoldersParams{
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: daemontest.FileURI(second)}},
	})
	h.Until("the doors to have changed", func() bool {
		return knock(second) == nil && errors.Is(knock(first), door.ErrNobody)
	})
}

// pipeWinnowd runs winnowd with input, and returns its output.
func pipeWinnowd(t *testing.T, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), winnowd(t), args...)
	cmd.Stdin = strings.NewReader(input)
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	return string(out)
}

// Winnow's entry for other clients, in a file that Winnow reads as well, starts
// nothing; nor does one that hides behind another program, or an address.
func TestMCP_isNoServerOfItsOwn(t *testing.T) {
	t.Parallel()
	program := winnowd(t)
	hidden := entry{Command: "/bin/sh", Args: []string{"-c", "exec " + program + " mcp"}}
	s := servers{
		"std":    scripted(t, upstreamtest.Script{}),
		"winnow": {Command: program, Args: []string{"mcp"}},
		"hidden": hidden,
	}
	h := daemontest.Run(t, daemontest.Options{Workspace: workspaceWith(t, s, nil)})
	h.Initialize(map[string]any{"gateway": map[string]any{"mode": "all"}})
	h.UntilState("std", protocol.ServerReady)
	if own, _ := h.Server("winnow"); own.State != protocol.ServerConfigured || !strings.Contains(own.Error, "Winnow itself") {
		t.Errorf("%+v", own)
	}
	failed := h.UntilState("hidden", protocol.ServerFailed)
	if !strings.Contains(failed.Error, "does not serve itself") {
		t.Errorf("%+v", failed)
	}
	info := gatewayOf(h)
	byAddress := entry{URL: info.URL, Headers: map[string]string{"Authorization": "Bearer " + info.Token}}
	save(t, h.Options.Workspace, servers{"std": s["std"], "address": byAddress}, nil)
	if refused := h.UntilState("address", protocol.ServerFailed); !strings.Contains(refused.Error, "does not serve itself") {
		t.Errorf("%+v", refused)
	}
}

func TestMCP_usage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"mcp", "-help"}, 0, "-workspace"},
		{[]string{"mcp", "serve"}, 2, `not "serve"`},
		{[]string{"mcp", "-frob"}, 2, "-frob"},
		{[]string{"mcp", "-workspace", "/no/such/folder"}, 1, "/no/such/folder"},
		{[]string{"mcp", "-alone", "-storage", t.TempDir(), "-settings", "/no/such/file"}, 1, "/no/such/file"},
		{[]string{"frob"}, 2, "mcp"},
	} {
		cmd := exec.CommandContext(t.Context(), winnowd(t), tc.args...)
		out, _ := cmd.CombinedOutput() // its exit code is looked at
		if code := cmd.ProcessState.ExitCode(); code != tc.code || !strings.Contains(string(out), tc.want) {
			t.Errorf("%q: exit code %d, want %d, and %q in: %s", tc.args, code, tc.code, tc.want, out)
		}
	}
}

// script is what a client writes that closes its side at once.
const script = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mcp_search","arguments":{"query":"x"}}}
not json
{"jsonrpc":"2.0","id":4,"method":"no/such"}
{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
`

// A client that writes all at once and closes its side is answered in full.
func TestMCP_aScriptOnStdin(t *testing.T) {
	t.Parallel()
	out := pipeWinnowd(t, script, "mcp", "-alone", "-workspace", t.TempDir(), "-storage", t.TempDir())
	answers := map[string]json.RawMessage{}
	for line := range strings.Lines(out) {
		var m struct {
			ID json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q is no message: %v", line, err)
		}
		answers[string(m.ID)] = json.RawMessage(line)
	}
	for id, want := range map[string]string{
		"1": `"serverInfo":{"name":"winnow"`, "2": `"name":"mcp_search"`, "3": `"content"`, "null": `-32700`, "4": `-32601`,
		`"d"`: protocolVersionCode,
	} {
		if !strings.Contains(string(answers[id]), want) {
			t.Errorf("%s: %s", id, answers[id])
		}
	}
}

// protocolVersionCode tells clients of the newest revision to use an older one.
var protocolVersionCode = strconv.Itoa(mcp.UNSUPPORTED_PROTOCOL_VERSION)
