//go:build unix

package daemon_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/socket"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// startMCP starts `winnowd mcp` as a client does, and shakes hands.
func startMCP(t testing.TB, env []string, args ...string) *client.Client {
	t.Helper()
	c, _ := startTold(t, env, args...)
	return c
}

// startTold is startMCP, with the methods of the notifications that come. Of
// more than a test looks at, the latest are left out.
func startTold(t testing.TB, env []string, args ...string) (*client.Client, <-chan string) {
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
	told := make(chan string, 100)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		select {
		case told <- n.Method:
		default:
		}
	})
	hello(t, c, mcp.ClientCapabilities{})
	return c, told
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

// The container's command serves the servers of the folder that is mounted: who
// mounts it says that they may start.
func TestMCP_container(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile(filepath.Join("packaging", "Dockerfile"))
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
	workspace := workspaceWith(t, servers{"std": scripted(t, upstreamtest.Script{})}, nil)
	here := map[string]string{"/workspace": workspace, "/home/node/.cache/winnow": t.TempDir()}
	for i, arg := range args {
		args[i] = cmp.Or(here[arg], arg)
	}
	c := startMCP(t, []string{"HOME=" + t.TempDir()}, args[1:]...)
	if text, r := callClient(t, c, "mcp_call", byName("echo", map[string]any{"text": "hi"})); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("got %s, want the tool of the folder's server to answer", text)
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

// gated is a scripted server that starts only once open is called.
func gated(t testing.TB, s upstreamtest.Script) (e entry, open func()) {
	t.Helper()
	e = scripted(t, s)
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	e.Args = []string{"-c", `read x < "$0"; exec "$1"`, gate, e.Command}
	e.Command = "/bin/sh"
	return e, func() {
		f, err := os.OpenFile(gate, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("go\n")
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// No answer waits for a server that does not get up: the first list has the
// tools of Winnow's own and the pins that are known from before, a search finds
// what is there and says what was not searched, and what comes is told.
func TestMCP_answersFromWhatIsKnown(t *testing.T) {
	t.Parallel()
	for _, joins := range []bool{false, true} {
		t.Run(fmt.Sprintf("joins %v", joins), func(t *testing.T) {
			t.Parallel()
			slow, open := gated(t, upstreamtest.Script{Tools: []string{tool("count", "Counts sheep.")}})
			pinned := scripted(t, upstreamtest.Script{Tools: []string{tool("echo", "Repeats what is said.")}})
			pinned.AlwaysLoad = true
			quick := servers{"pinned": pinned}
			workspace, storage, home := workspaceWith(t, quick, nil), t.TempDir(), t.TempDir()
			h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace, Storage: storage, Home: home})
			h.Initialize(nil)
			h.UntilReady(quick) // and so its tools are kept
			all := servers{"pinned": pinned, "slow": slow}
			if joins {
				save(t, workspace, all, nil)
				h.Allow("slow")
				h.UntilState("slow", protocol.ServerStarting)
			} else {
				h.Close()
				save(t, workspace, all, nil)
			}
			c, told := startTold(t, []string{"HOME=" + home}, "-workspace", workspace, "-storage", storage, "-trust")
			if got, want := listNames(t, c), []string{"mcp_search", "mcp_call", "echo"}; !slices.Equal(got, want) {
				t.Errorf("the first list is %q, want %q", got, want)
			}
			if text, _ := callClient(t, c, "mcp_search", map[string]any{"query": "repeats what is said"}); !strings.Contains(text, "echo(") || !strings.Contains(text, "still starting: slow") {
				t.Errorf("%s", text)
			}
			if text, r := callClient(t, c, "echo", map[string]any{"id": "x"}); r.IsError {
				t.Errorf("a pinned tool that is known from before: %s", text)
			}
			open()
			for method := range told {
				if method == mcp.MethodNotificationToolsListChanged {
					break
				}
			}
			if text, r := callClient(t, c, "mcp_call", byName("count", nil)); r.IsError {
				t.Errorf("what has come cannot be called: %s", text)
			}
		})
	}
}

// Who wants every tool listed is not made to wait for servers that have never
// been up: until their tools are listed there is a way to them.
func TestMCP_allAtAFirstStart(t *testing.T) {
	t.Parallel()
	slow, open := gated(t, upstreamtest.Script{Tools: []string{tool("count", "Counts sheep."), tool("shear", "Shears them.")}})
	workspace, settings := workspaceWith(t, servers{"slow": slow}, nil), filepath.Join(t.TempDir(), "settings.json")
	write(t, settings, `{"gateway":{"mode":"all"}}`)
	c, told := startTold(t, []string{"HOME=" + t.TempDir()}, "-workspace", workspace, "-storage", t.TempDir(), "-trust", "-settings", settings)
	if got, want := listNames(t, c), []string{"mcp_search", "mcp_call", "mcp_result"}; !slices.Equal(got, want) {
		t.Errorf("the first list is %q, want %q", got, want)
	}
	open()
	for method := range told {
		if method == mcp.MethodNotificationToolsListChanged {
			break
		}
	}
	// One client lists again, another one does not.
	if text, r := callClient(t, c, "mcp_call", byName("count", nil)); r.IsError {
		t.Errorf("without a newer list: %s", text)
	}
	if got, want := listNames(t, c), []string{"mcp_search", "mcp_call", "mcp_result", "count", "shear"}; !slices.Equal(got, want) {
		t.Errorf("the next list is %q, want %q", got, want)
	}
}

// A client that starts winnowd by itself is told what servers say of themselves,
// as far as an earlier run knows it: its own has not started them yet.
func TestMCP_instructions(t *testing.T) {
	t.Parallel()
	s := servers{"everything": npmServers(t, t.TempDir())["everything"]}
	workspace, storage := workspaceWith(t, s, nil), t.TempDir()
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspace, Storage: storage})
	h.Initialize(nil)
	h.UntilReady(s)
	h.Close()
	out := pipeWinnowd(t, script, "mcp", "-alone", "-trust", "-workspace", workspace, "-storage", storage)
	if first, _, _ := strings.Cut(out, "\n"); !strings.Contains(first, `Server \"everything\" says: `) {
		t.Errorf("the instructions of the server are not in %s", first)
	}
}

// Of a server whose tools are unknown a call waits until they are there.
func TestMCP_aCallWaitsForAServerThatStarts(t *testing.T) {
	t.Parallel()
	slow, open := gated(t, upstreamtest.Script{Tools: []string{tool("count", "Counts sheep.")}})
	workspace := workspaceWith(t, servers{"slow": slow}, nil)
	c := startMCP(t, []string{"HOME=" + t.TempDir()}, "-workspace", workspace, "-storage", t.TempDir(), "-trust")
	listNames(t, c)
	go open()
	if text, _ := callClient(t, c, "mcp_search", map[string]any{"query": "counts sheep"}); !strings.Contains(text, "count(") {
		t.Errorf("%s", text)
	}
}

// The doors are those of the folders that are open now.
func TestMCP_followsTheFolders(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	h := daemontest.Run(t, daemontest.Options{Workspace: first})
	h.Initialize(nil)
	knock := func(folder string) error {
		c, err := socket.Dial(socket.Place{}, folder)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	h.Catalog()
	if err := knock(first); err != nil {
		t.Error(err)
	}
	if err := knock(second); !errors.Is(err, socket.ErrNoDaemon) {
		t.Errorf("%v", err)
	}
	h.Notify(protocol.MethodDidChangeFolders, protocol.DidChangeFoldersParams{
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(second)}},
	})
	h.Until("the doors to have changed", func() bool {
		return knock(second) == nil && errors.Is(knock(first), socket.ErrNoDaemon)
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
	h.Allow("address")
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
		{[]string{"frob"}, 2, `no command "frob"`},
		{[]string{"veryfi"}, 2, "did you mean verify?"},
		{[]string{"lock"}, 2, "-update"},
		{[]string{"completion", "bash"}, 0, "__start_winnowd"},
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
		`"d"`: `"supportedVersions":["2026-07-28","2025-11-25"`,
	} {
		if !strings.Contains(string(answers[id]), want) {
			t.Errorf("%s: %s", id, answers[id])
		}
	}
}
