//go:build unix

package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// The tests of this file run an engine and its servers: ServeAlone is what opens
// it, starts them and ends both.

// aloneOptions are what the command line of `winnowd mcp` says.
type aloneOptions struct {
	workspace string
	// storage and home are made where they are empty.
	storage, home string
	settings      string
	untrusted     bool
	consents      []string
}

// serveAlone serves what in has until its end, without a host, and returns what
// came of it when the session is over.
func serveAlone(t testing.TB, o aloneOptions, in io.Reader, out io.Writer) error {
	for _, dir := range []*string{&o.workspace, &o.storage, &o.home} {
		if *dir == "" {
			*dir = t.TempDir()
		}
	}
	log := slog.New(slog.DiscardHandler)
	return gateway.ServeAlone(context.WithoutCancel(t.Context()),
		engine.Options{Version: "test", Log: log, Environ: os.LookupEnv},
		gateway.Options{Version: "test", Log: log, Environ: os.LookupEnv}, time.Minute,
		gateway.Alone{Consents: o.consents, In: in, Out: out, Initialize: protocol.InitializeParams{
			Client:           protocol.ClientInfo{Name: "mcp", Version: "1"},
			ProtocolVersion:  protocol.Version,
			WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(o.workspace)}},
			StoragePath:      o.storage, Trusted: !o.untrusted, Settings: json.RawMessage(o.settings),
			UserConfigDir: filepath.Join(o.home, ".config", "winnow"), HomeDir: o.home,
		}})
}

// startAlone serves a client without a host. told has the methods of the
// notifications that come, of more than a test looks at not the latest; end ends
// the session, which the end of the test does else.
func startAlone(t testing.TB, o aloneOptions) (c *client.Client, told <-chan string, end func()) {
	t.Helper()
	fromClient, toFace := io.Pipe()
	fromFace, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := serveAlone(t, o, fromClient, toClient)
		_ = toClient.Close()
		ended <- err
	}()
	c = client.NewClient(transport.NewIO(fromFace, toFace, nil))
	end = sync.OnceFunc(func() {
		_ = c.Close()
		if err := <-ended; err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
	t.Cleanup(end)
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	methods := make(chan string, 100)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		select {
		case methods <- n.Method:
		default:
		}
	})
	gatewaytest.Hello(t, c, mcp.ClientCapabilities{})
	return c, methods, end
}

// untilListChanged waits until a client is told that its list has changed.
func untilListChanged(told <-chan string) {
	for method := range told {
		if method == mcp.MethodNotificationToolsListChanged {
			return
		}
	}
}

// Without a daemon a client is served with servers of its own, which end with
// the session.
func TestAlone(t *testing.T) {
	t.Parallel()
	received := upstreamtest.Listen(t)
	o := aloneOptions{
		workspace: configtest.WorkspaceWith(t, servers{"std": scripted(t, upstreamtest.Script{PIDFile: received.Address()})}, nil),
		storage:   t.TempDir(), settings: `{"gateway":{"mode":"all"}}`,
	}
	c, _, end := startAlone(t, o)
	// It is answered before the server is up; a call of its tools waits for it.
	listNames(t, c)
	if text, r := callClient(t, c, "echo", map[string]any{"text": "hi"}); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("got %s, want what was said", text)
	}
	if got := listNames(t, c); !slices.Contains(got, "echo") || slices.Contains(got, "mcp_load") {
		t.Errorf("got the tools %q, want echo among them and no mcp_load", got)
	}
	end()
	var pid int
	if n, err := fmt.Sscan(received.Text(), &pid); n != 1 || err != nil {
		t.Fatalf("the processes of servers are %q (%v), want one", received.Text(), err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the server outlives the session: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(o.storage, "manifests", "*")); len(left) != 1 {
		t.Errorf("the storage holds %v, want one manifest", left)
	}
}

// What a repository brings along does not start because a client is in it.
func TestAlone_startsNothingUntrusted(t *testing.T) {
	t.Parallel()
	c, _, _ := startAlone(t, aloneOptions{
		workspace: configtest.WorkspaceWith(t, servers{"std": scripted(t, upstreamtest.Script{})}, nil), untrusted: true,
	})
	if text, r := callClient(t, c, "echo", nil); !r.IsError || !strings.Contains(text, "nobody has said that the workspace is trusted. Tell the user: Start winnowd mcp with -trust.") {
		t.Errorf("the server of an untrusted workspace runs, or the client is not told why not: %s", text)
	}
}

// The servers of another client's file start by a consent.
func TestAlone_consent(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	file := configtest.ClaudeFile(t, workspace, servers{"std": scripted(t, upstreamtest.Script{})})
	without, _, _ := startAlone(t, aloneOptions{workspace: workspace})
	if text, r := callClient(t, without, "echo", nil); !r.IsError || !strings.Contains(text, "start winnowd mcp again with -consent and the file.") {
		t.Errorf("without consent it runs, or the client is not told why not: %s", text)
	}
	search := map[string]any{"query": "repeat what is said"}
	first, _ := callClient(t, without, "mcp_search", search)
	if second, _ := callClient(t, without, "mcp_search", search); !strings.Contains(first, "[Not started: std. The cause: nobody has agreed to what it starts now. Tell the user: ") || strings.Contains(second, "Not started") {
		t.Errorf("a session's searches say it other than once: %q, then %q", first, second)
	}
	with, _, _ := startAlone(t, aloneOptions{workspace: workspace, consents: []string{file}})
	if text, r := callClient(t, with, "echo", nil); r.IsError {
		t.Errorf("with consent: got %s, want an answer", text)
	}
}

// gated is a scripted server that starts only once open is called.
func gated(t testing.TB, s upstreamtest.Script) (e configtest.Entry, open func()) {
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
func TestGateway_answersFromWhatIsKnown(t *testing.T) {
	t.Parallel()
	for _, joins := range []bool{false, true} {
		t.Run(fmt.Sprintf("joins %v", joins), func(t *testing.T) {
			t.Parallel()
			slow, open := gated(t, upstreamtest.Script{Tools: []string{tool("count", "Counts sheep.")}})
			pinned := scripted(t, upstreamtest.Script{Tools: []string{tool("echo", "Repeats what is said.")}})
			pinned.AlwaysLoad = true
			quick, all := servers{"pinned": pinned}, servers{"pinned": pinned, "slow": slow}
			o := aloneOptions{workspace: configtest.WorkspaceWith(t, quick, nil), storage: t.TempDir(), home: t.TempDir()}
			h := daemontest.Run(t, daemontest.Options{Workspace: o.workspace, Storage: o.storage, Home: o.home})
			h.Initialize(nil)
			h.UntilReady(quick) // and so its tools are kept
			var c *client.Client
			var told <-chan string
			if joins {
				save(t, o.workspace, all, nil)
				h.Allow("slow")
				h.UntilState("slow", protocol.ServerStarting)
				p := meet(t, h, ways()["stdio"], true)
				methods := make(chan string, 100)
				p.OnNotification(func(n mcp.JSONRPCNotification) { methods <- n.Method })
				c, told = p.Client, methods
			} else {
				h.Close()
				save(t, o.workspace, all, nil)
				c, told, _ = startAlone(t, o)
			}
			if got, want := listNames(t, c), []string{"mcp_search", "mcp_call", "mcp_read", "echo"}; !slices.Equal(got, want) {
				t.Errorf("the first list is %q, want %q", got, want)
			}
			if text, _ := callClient(t, c, "mcp_search", map[string]any{"query": "repeats what is said"}); !strings.Contains(text, "echo(") || !strings.Contains(text, "still starting: slow") {
				t.Errorf("got %s, want echo, and that slow was not searched", text)
			}
			if text, r := callClient(t, c, "echo", map[string]any{"id": "x"}); r.IsError {
				t.Errorf("a pinned tool that is known from before: %s", text)
			}
			open()
			untilListChanged(told)
			if text, r := callClient(t, c, "mcp_call", byName("count", nil)); r.IsError {
				t.Errorf("what has come cannot be called: %s", text)
			}
		})
	}
}

// Who wants every tool listed is not made to wait for servers that have never
// been up: until their tools are listed there is a way to them.
func TestAlone_allAtAFirstStart(t *testing.T) {
	t.Parallel()
	slow, open := gated(t, upstreamtest.Script{Tools: []string{tool("count", "Counts sheep."), tool("shear", "Shears them.")}})
	c, told, _ := startAlone(t, aloneOptions{
		workspace: configtest.WorkspaceWith(t, servers{"slow": slow}, nil), settings: `{"gateway":{"mode":"all"}}`,
	})
	if got, want := listNames(t, c), []string{"mcp_search", "mcp_call", "mcp_read", "mcp_result"}; !slices.Equal(got, want) {
		t.Errorf("the first list is %q, want %q", got, want)
	}
	open()
	untilListChanged(told)
	// One client lists again, another one does not.
	if text, r := callClient(t, c, "mcp_call", byName("count", nil)); r.IsError {
		t.Errorf("without a newer list: %s", text)
	}
	if got, want := listNames(t, c), []string{"mcp_search", "mcp_call", "mcp_read", "mcp_result", "count", "shear"}; !slices.Equal(got, want) {
		t.Errorf("the next list is %q, want %q", got, want)
	}
}

// Of a server whose tools are unknown a call waits until they are there.
func TestAlone_aCallWaitsForAServerThatStarts(t *testing.T) {
	t.Parallel()
	slow, open := gated(t, upstreamtest.Script{Tools: []string{tool("count", "Counts sheep.")}})
	c, _, _ := startAlone(t, aloneOptions{workspace: configtest.WorkspaceWith(t, servers{"slow": slow}, nil)})
	listNames(t, c)
	go open()
	if text, _ := callClient(t, c, "mcp_search", map[string]any{"query": "counts sheep"}); !strings.Contains(text, "count(") {
		t.Errorf("got %s, want the tool of the server that has started", text)
	}
}

// oneBatch is what a client writes that closes its side at once.
const oneBatch = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mcp_search","arguments":{"query":"x"}}}
not json
{"jsonrpc":"2.0","id":4,"method":"no/such"}
{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
`

// answersTo returns what a session without a host answers to one batch.
func answersTo(t *testing.T, o aloneOptions) string {
	t.Helper()
	var out strings.Builder
	if err := serveAlone(t, o, strings.NewReader(oneBatch), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A client that is served alone is told what servers say of themselves, as far
// as an earlier run knows it: its own has not started them yet.
func TestAlone_instructions(t *testing.T) {
	t.Parallel()
	s := servers{"everything": npmServers(t, t.TempDir())["everything"]}
	o := aloneOptions{workspace: configtest.WorkspaceWith(t, s, nil), storage: t.TempDir(), home: t.TempDir()}
	h := enginetest.Start(t, enginetest.Options{Workspace: o.workspace, Storage: o.storage, Home: o.home}, nil)
	h.UntilReady(s)
	h.Close()
	if first, _, _ := strings.Cut(answersTo(t, o), "\n"); !strings.Contains(first, `Server \"everything\" says: `) {
		t.Errorf("the instructions of the server are not in %s", first)
	}
}

// A client that writes all at once and closes its side is answered in full.
func TestAlone_oneBatch(t *testing.T) {
	t.Parallel()
	answers := map[string]json.RawMessage{}
	for line := range strings.Lines(answersTo(t, aloneOptions{untrusted: true})) {
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
			t.Errorf("%s: got %s, want %s in it", id, answers[id], want)
		}
	}
}
