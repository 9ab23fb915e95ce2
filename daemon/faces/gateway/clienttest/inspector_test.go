package clienttest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// npmInstalled is set once the packages of this folder's own are there.
var npmInstalled sync.Once

// installed installs the MCP Inspector and the newest TypeScript SDK when they
// are not there, and returns the folder of their packages. The Inspector is a
// hundred megabytes, most of them its web page, so it is no dependency of the
// project.
func installed(t *testing.T) string {
	t.Helper()
	need(t, "node")
	packages := filepath.Join("inspector", "node_modules", "@modelcontextprotocol")
	npmInstalled.Do(func() {
		if upToDate(t, packages, "inspector", "client") {
			return
		}
		install := exec.CommandContext(t.Context(), need(t, "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		install.Dir = "inspector"
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("npm ci in %s: %v\n%s", install.Dir, err, out)
		}
	})
	return packages
}

// upToDate reports whether packages are there in the versions that are wanted.
func upToDate(t *testing.T, folder string, packages ...string) bool {
	t.Helper()
	var wanted struct{ Dependencies map[string]string }
	read := func(path string, into any) bool {
		text, err := os.ReadFile(path)
		return err == nil && json.Unmarshal(text, into) == nil
	}
	if !read(filepath.Join("inspector", "package.json"), &wanted) {
		t.Fatal("inspector/package.json cannot be read")
	}
	for _, name := range packages {
		var there struct{ Version string }
		if !read(filepath.Join(folder, name, "package.json"), &there) || there.Version != wanted.Dependencies["@modelcontextprotocol/"+name] {
			return false
		}
	}
	return true
}

// inspector returns the MCP Inspector's command.
func inspector(t *testing.T) []string {
	t.Helper()
	return []string{need(t, "node"), filepath.Join(installed(t), "inspector", "clients", "launcher", "build", "index.js"), "--cli"}
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
			for _, era := range []string{"legacy", "modern"} {
				out = inspect(t, slices.Concat(command, way, []string{"--protocol-era", era, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=hi"})...)
				if !strings.Contains(string(out), `{\"text\":\"hi\"}`) {
					t.Errorf("%s: %s", era, out)
				}
			}
		})
	}
}
