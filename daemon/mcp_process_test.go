//go:build unix

package daemon_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// startMCP starts `winnowd mcp` as a client does, and shakes hands.
func startMCP(t testing.TB, env []string, args ...string) *client.Client {
	t.Helper()
	c, err := client.NewStdioMCPClient(winnowd(t), env, append([]string{"mcp"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	log, _ := client.GetStderr(c)
	go func() { _, _ = io.Copy(io.Discard, log) }()
	// The process runs already; this is what lets notifications in.
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	hello(t, c, mcp.ClientCapabilities{})
	return c
}

// Two clients and the host share one process of the server.
func TestMCP_joinsTheRunningDaemon(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pids")
	s := servers{"std": scripted(t, upstreamtest.Script{PIDFile: file})}
	workspace := workspaceWith(t, s, nil)
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace})
	h.Initialize(map[string]any{"threshold": 1, "gateway": map[string]any{"mode": "dynamic"}})
	h.UntilReady(s)
	one, two := startMCP(t, nil, "-workspace", workspace), startMCP(t, nil, "-workspace", workspace)
	if got := listNames(t, one); !slices.Equal(got, []string{"mcp_load", "mcp_call", "mcp_read"}) {
		t.Fatalf("%q", got)
	}
	callClient(t, one, "mcp_load", map[string]any{"names": []string{"echo"}})
	if got := listNames(t, one); !slices.Equal(got, []string{"mcp_load", "mcp_call", "mcp_read", "echo"}) {
		t.Errorf("%q", got)
	}
	if text, r := callClient(t, one, "echo", map[string]any{"text": "hi"}); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("%s", text)
	}
	if got := listNames(t, two); !slices.Equal(got, []string{"mcp_load", "mcp_call", "mcp_read"}) {
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

// The daemon that a client has joined ends, with a call under way: the call is
// answered and not repeated, and the client goes on, with servers of its own.
func TestMCP_survivesTheDaemon(t *testing.T) {
	t.Parallel()
	arrived := upstreamtest.Listen(t)
	s := servers{"std": scripted(t, upstreamtest.Script{ReceivedFile: arrived.Address()})}
	workspace := workspaceWith(t, s, nil)
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace})
	h.Initialize(nil)
	h.UntilReady(s)
	c := startMCP(t, []string{"HOME=" + t.TempDir()}, "-workspace", workspace, "-storage", t.TempDir(), "-trust")
	listNames(t, c)
	ended := make(chan string, 1)
	go func() {
		text, r := callClient(t, c, "mcp_call", byName("sleep", map[string]any{"ms": 600000}))
		ended <- fmt.Sprint(r.IsError, " ", text)
	}()
	arrived.Until("the call to be under way", func(text string) bool { return strings.Contains(text, `"tools/call"`) })
	h.Close()
	// While the daemon shuts down it may answer that the call has failed.
	if got := <-ended; !strings.HasPrefix(got, "true ") {
		t.Errorf("the call under way is answered %s", got)
	}
	if text, r := callClient(t, c, "mcp_call", byName("echo", map[string]any{"text": "hi"})); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("after the daemon's end: %s", text)
	}
	calls := func(text string) int { return strings.Count(text, `"tools/call"`) }
	arrived.Until("the second call", func(text string) bool { return calls(text) >= 2 })
	if n := calls(arrived.Text()); n != 2 {
		t.Errorf("%d calls reached the server, want 2: none is repeated", n)
	}
	if err := c.Close(); err != nil {
		t.Errorf("the process does not end well: %v", err)
	}
}

// An editor that comes back finds the client joined again.
func TestMCP_joinsTheNextDaemon(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pids")
	s := servers{"std": scripted(t, upstreamtest.Script{PIDFile: file})}
	workspace := workspaceWith(t, s, nil)
	first := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace})
	first.Initialize(nil)
	first.UntilReady(s)
	c := startMCP(t, nil, "-workspace", workspace)
	listNames(t, c)
	first.Close()
	second := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace})
	second.Initialize(nil)
	second.UntilReady(s)
	if text, r := callClient(t, c, "mcp_call", byName("echo", map[string]any{"text": "hi"})); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("%s", text)
	}
	if all := pids(t, file); len(all) != 2 {
		t.Errorf("the server ran as %v, want one process for each daemon", all)
	}
}

// A daemon that hangs is left, at once or in mid-session.
func TestMCP_leavesADaemonThatHangs(t *testing.T) {
	t.Parallel()
	s := servers{"std": scripted(t, upstreamtest.Script{})}
	workspace := workspaceWith(t, s, nil)
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace})
	h.Initialize(nil)
	h.UntilReady(s)
	join := func() *client.Client {
		return startMCP(t, []string{"HOME=" + t.TempDir()}, "-workspace", workspace, "-storage", t.TempDir(), "-trust")
	}
	before := join()
	listNames(t, before)
	if err := syscall.Kill(h.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(h.PID, syscall.SIGCONT) })
	for name, c := range map[string]*client.Client{"joined before": before, "joins now": join()} {
		if got := listNames(t, c); !slices.Contains(got, "mcp_call") {
			t.Errorf("%s: it lists %q", name, got)
		}
		if text, r := callClient(t, c, "mcp_call", byName("echo", map[string]any{"text": "hi"})); r.IsError || text != `{"text":"hi"}` {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Two editors in two folders share one process of a server that starts alike. It
// outlives them, a restart is for both, and an end of the daemon as quick as alone.
func TestHolder_editors(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "h") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), "WINNOW_SHARE=on", "XDG_RUNTIME_DIR="+dir)
	t.Cleanup(func() {
		stop := exec.Command(winnowd(t), "stop")
		stop.Env = environment
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		_ = os.RemoveAll(dir)
	})
	file := filepath.Join(t.TempDir(), "pids")
	entry := scripted(t, upstreamtest.Script{PIDFile: file})
	entry.Share = protocol.ShareUser
	s, home := servers{"std": entry}, t.TempDir()
	editor := func() *daemontest.Host {
		h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspaceWith(t, s, nil), Environment: environment, Home: home})
		h.Initialize(nil)
		h.UntilReady(s)
		return h
	}
	one, two := editor(), editor()
	if all := pids(t, file); len(all) != 1 {
		t.Fatalf("the server ran as %v, want one process", all)
	}
	daemontest.Call[protocol.Empty](one, protocol.MethodServerRestart, protocol.ServerParams{Name: "std"})
	one.Until("the restart", func() bool { return len(pids(t, file)) == 2 })
	one.UntilReady(s)
	two.UntilReady(s)
	all := pids(t, file)
	if len(all) != 2 {
		t.Fatalf("after a restart the server ran as %v, want two processes one after the other", all)
	}
	one.Close()
	two.Close()
	editor().Close()
	if again := pids(t, file); len(again) != 2 || syscall.Kill(all[1], 0) != nil {
		t.Errorf("the next editor found %v, want the process of the earlier ones", again)
	}
}
