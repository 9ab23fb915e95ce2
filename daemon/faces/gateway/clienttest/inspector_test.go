package clienttest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// inspector installs the MCP Inspector when it is not there, and returns its
// command. It is a hundred megabytes, most of them its web page, so it is no
// dependency of the project.
func inspector(t *testing.T) []string {
	t.Helper()
	node := need(t, "node")
	launcher := filepath.Join("inspector", "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	if _, err := os.Stat(launcher); err != nil {
		install := exec.CommandContext(t.Context(), need(t, "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		install.Dir = "inspector"
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("npm ci for the MCP Inspector: %v\n%s", err, out)
		}
	}
	return []string{node, launcher, "--cli"}
}

// inspect runs the Inspector's command line, and returns what it prints.
func inspect(t *testing.T, args ...string) (out []byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, log.String())
	}
	return out
}

func TestInspector(t *testing.T) {
	t.Parallel()
	command := inspector(t)
	workspace := t.TempDir()
	program, args, env := upstreamtest.Program(t, upstreamtest.Script{})
	writeServers(t, workspace, map[string]any{"std": map[string]any{"command": program, "args": args, "env": env}})
	settings := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(settings, []byte(`{"gateway":{"mode":"all"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	info := start(t, map[string]any{"gateway": map[string]any{"mode": "all"}})
	for name, way := range map[string][]string{
		"stdio": {winnowd(t), "mcp", "-alone", "-trust", "-workspace", workspace, "-storage", t.TempDir(), "-settings", settings},
		"http":  {info.URL, "--transport", "http", "--header", "Authorization: Bearer " + info.Token},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "stdio" {
				// The Inspector starts a process for each request: the first one knows of
				// no tools yet, and offers the way to them.
				out := inspect(t, slices.Concat(command, way, []string{"--method", "tools/call", "--tool-name", "mcp_search", "--tool-arg", "query=select:echo"})...)
				if !strings.Contains(string(out), "echo(text") {
					t.Errorf("%s", out)
				}
			}
			var listed struct {
				Tools []struct{ Name string }
			}
			out := inspect(t, slices.Concat(command, way, []string{"--method", "tools/list"})...)
			if err := json.Unmarshal(out, &listed); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if !slices.ContainsFunc(listed.Tools, func(tool struct{ Name string }) bool { return tool.Name == "echo" }) {
				t.Errorf("%s", out)
			}
			out = inspect(t, slices.Concat(command, way, []string{"--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=hi"})...)
			if !strings.Contains(string(out), `{\"text\":\"hi\"}`) {
				t.Errorf("%s", out)
			}
		})
	}
}
