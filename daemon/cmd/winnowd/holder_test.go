//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// Clients that share answer one after the other by the process that the first
// has started, until winnowd stop.
func TestHolder(t *testing.T) {
	t.Parallel()
	home, err := os.MkdirTemp("", "w") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	run := func(in string, args ...string) string {
		t.Helper()
		c := winnowd(t, args...)
		c.Env = environment("HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_RUNTIME_DIR="+home)
		c.Stdin = strings.NewReader(in)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return string(out)
	}
	workspace := configtest.WorkspaceWith(t, configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	for range 2 {
		out := run(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":"hi"}}}}
`, "mcp", "-shared", "-trust", "-workspace", workspace)
		if want := `{\"text\":\"hi\"}`; !strings.Contains(out, want) {
			t.Errorf("got %s; want the answer %s", out, want)
		}
	}
	if out := run("", "stop"); out != "" {
		t.Errorf("stop says %q; want that a holder ran", out)
	}
	if out := run("", "stop"); !strings.Contains(out, "no shared processes run") {
		t.Errorf("the second stop says %q", out)
	}
}
