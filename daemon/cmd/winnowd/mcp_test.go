package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// echo is what a client sends that calls a tool at once. The gateway waits ten seconds for
// a server; on a busy machine one may need more, and the answer has noTool.
const (
	echo = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":"hi"}}}}
`
	noTool    = "there is no tool"
	echoTries = 5
)

// The container's command serves the servers of the folder that is mounted: who
// mounts it says that they may start.
func TestContainer(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile(filepath.Join("..", "..", "packaging", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, line := range strings.Split(string(file), "\n") {
		if command, ok := strings.CutPrefix(line, "CMD "); ok {
			if err := json.Unmarshal([]byte(command), &args); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
	}
	if len(args) == 0 || args[0] != "mcp" {
		t.Fatalf("got the command %q, want mcp with flags", args)
	}
	workspace := configtest.WorkspaceWith(t, configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	here := map[string]string{"/workspace": workspace, "/home/node/.cache/winnow": t.TempDir()}
	for i, arg := range args {
		args[i] = cmp.Or(here[arg], arg)
	}
	var out []byte
	for range echoTries {
		c := winnowd(t, args...)
		c.Stdin = strings.NewReader(echo)
		if out, err = c.Output(); !strings.Contains(string(out), noTool) {
			break
		}
	}
	if want := `{\"text\":\"hi\"}`; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("got %s, %v; want the answer %s of the folder's server", out, err, want)
	}
}

// TestUsage: what is asked for wrongly is refused with its name, and help is given.
func TestUsage(t *testing.T) {
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
		{[]string{"frob"}, 2, `no command "frob"`},
		{[]string{"veryfi"}, 2, "did you mean verify?"},
		{[]string{"lock"}, 2, "-update"},
		{[]string{"completion", "bash"}, 0, "__start_winnowd"},
	} {
		cmd := winnowd(t, tc.args...)
		out, _ := cmd.CombinedOutput() // its exit code is looked at
		if code := cmd.ProcessState.ExitCode(); code != tc.code || !strings.Contains(string(out), tc.want) {
			t.Errorf("%q: exit code %d, want %d, and %q in: %s", tc.args, code, tc.code, tc.want, out)
		}
	}
}

// Winnow's entry for other clients, in a file that Winnow reads as well, starts
// nothing; nor does one that hides behind another program, or an address.
func TestMCP_isNoServerOfItsOwn(t *testing.T) {
	t.Parallel()
	winnow := program(t)
	asProgram := map[string]protocol.EnvValue{programVariable: "1"}
	hidden := configtest.Entry{Command: "/bin/sh", Args: []string{"-c", "exec " + winnow + " mcp"}, Env: asProgram}
	s := configtest.Servers{
		"std":    configtest.Scripted(t, upstreamtest.Script{}),
		"winnow": {Command: winnow, Args: []string{"mcp"}, Env: asProgram},
		"hidden": hidden,
	}
	h := daemontest.Run(t, daemontest.Options{Workspace: configtest.WorkspaceWith(t, s, nil)})
	h.Initialize(map[string]any{"gateway": map[string]any{"mode": "all"}})
	h.UntilState("std", protocol.ServerReady)
	if own, _ := h.Server("winnow"); own.State != protocol.ServerConfigured || !strings.Contains(own.Error, "Winnow itself") {
		t.Errorf("%+v", own)
	}
	failed := h.UntilState("hidden", protocol.ServerFailed)
	if !strings.Contains(failed.Error, "does not serve itself") {
		t.Errorf("%+v", failed)
	}
	info := gatewaytest.InfoOf(h)
	byAddress := configtest.Entry{URL: info.URL, Headers: map[string]string{"Authorization": "Bearer " + info.Token}}
	configtest.Save(t, h.Options.Workspace, configtest.Servers{"std": s["std"], "address": byAddress}, nil)
	h.Allow("address")
	if refused := h.UntilState("address", protocol.ServerFailed); !strings.Contains(refused.Error, "does not serve itself") {
		t.Errorf("%+v", refused)
	}
}
