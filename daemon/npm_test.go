package daemon_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

// nodeModules returns the folder of the packages that package.json asks for.
// WINNOW_NODE_MODULES names another one. Without them a test fails where they
// must be there, and is skipped elsewhere.
func nodeModules(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("WINNOW_NODE_MODULES")
	if dir == "" {
		_, file, _, ok := runtime.Caller(0)
		if !ok {
			t.Fatal("the folder of this file is not known")
		}
		dir = filepath.Join(filepath.Dir(filepath.Dir(file)), "node_modules")
	}
	if _, err := os.Stat(filepath.Join(dir, "chrome-devtools-mcp")); err != nil {
		missing(t, "the servers from npm are not installed: %v; run `npm ci`", err)
	}
	return dir
}

func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" || os.Getenv("WINNOW_NPM") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// npmServers are the real servers: four reference servers and two large ones,
// some hundred tools that need no account, no network and no browser. Files
// they read and write lie in data.
func npmServers(t testing.TB, data string) servers {
	t.Helper()
	modules := nodeModules(t)
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "Node is not installed: %v; see engines in package.json", err)
	}
	npm := func(file string, args ...string) entry {
		return entry{Command: node, Args: append([]string{filepath.Join(modules, filepath.FromSlash(file))}, args...)}
	}
	memory := npm("@modelcontextprotocol/server-memory/dist/index.js")
	memory.Env = map[string]protocol.EnvValue{"MEMORY_FILE_PATH": filepath.Join(data, "memory.jsonl")}
	return servers{
		"everything":          npm("@modelcontextprotocol/server-everything/dist/index.js", "stdio"),
		"filesystem":          npm("@modelcontextprotocol/server-filesystem/dist/index.js", data),
		"memory":              memory,
		"sequential-thinking": npm("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
		"playwright": npm("@playwright/mcp/cli.js", "--headless", "--isolated",
			"--caps=vision,pdf,devtools,network,storage,testing,config"),
		"chrome-devtools": npm("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", "--headless", "--isolated",
			"--no-usage-statistics", "--no-performance-crux"),
	}
}

// npmHost starts the daemon, as a process over real pipes, on the real
// servers, and waits until all are ready.
func npmHost(t testing.TB, o daemontest.Options, settings map[string]any) *daemontest.Host {
	t.Helper()
	if o.Workspace == "" {
		o.Workspace = t.TempDir()
	}
	all := npmServers(t, o.Workspace)
	save(t, o.Workspace, all, nil)
	h := daemontest.Start(t, winnowd(t), o)
	h.Initialize(settings)
	untilReady(h, all)
	return h
}
