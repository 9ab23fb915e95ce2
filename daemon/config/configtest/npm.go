package configtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// NodeModules returns the folder of the packages in package.json, or WINNOW_NODE_MODULES.
// Without it a test fails in CI, and is skipped elsewhere.
func NodeModules(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("WINNOW_NODE_MODULES")
	if dir == "" {
		dir = filepath.Join(upstreamtest.ModuleRoot(t), "node_modules")
	}
	if _, err := os.Stat(filepath.Join(dir, "chrome-devtools-mcp")); err != nil {
		Missing(t, "the servers from npm are not installed: %v; run `npm ci`", err)
	}
	return dir
}

// Missing fails a test in CI, and skips it elsewhere.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" || os.Getenv("WINNOW_NPM") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// NPMServers returns the real servers: four reference servers and two large ones, with
// about a hundred tools that need no account, network or browser. They read and write
// files in data.
func NPMServers(t testing.TB, data string) Servers {
	t.Helper()
	modules := NodeModules(t)
	node, err := exec.LookPath("node")
	if err != nil {
		Missing(t, "Node is not installed: %v; see engines in package.json", err)
	}
	npm := func(file string, args ...string) Entry {
		return Entry{Command: node, Args: append([]string{filepath.Join(modules, filepath.FromSlash(file))}, args...)}
	}
	memory := npm("@modelcontextprotocol/server-memory/dist/index.js")
	memory.Env = map[string]protocol.EnvValue{"MEMORY_FILE_PATH": filepath.Join(data, "memory.jsonl")}
	return Servers{
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
