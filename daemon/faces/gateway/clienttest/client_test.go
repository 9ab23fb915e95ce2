package clienttest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestMain(m *testing.M) {
	upstreamtest.Main()
	if err := os.Setenv("WINNOW_SHARE", "off"); err != nil { // no process outlives its test
		panic(err)
	}
	os.Exit(m.Run())
}

// winnowd builds the daemon for the length of the test.
func winnowd(t *testing.T) string {
	t.Helper()
	path, err := daemontest.Binary(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// writeServers makes servers those of a workspace.
func writeServers(t *testing.T, workspace string, servers map[string]any) {
	t.Helper()
	file, err := json.Marshal(map[string]any{"servers": servers})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(workspace, ".vscode"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(workspace, ".vscode", "winnow.json"), file, 0o600); err != nil {
		t.Fatal(err)
	}
}

// start runs a daemon with a server of the standard tools, and returns where
// its gateway is.
func start(t *testing.T, settings map[string]any) protocol.GatewayInfoResult {
	t.Helper()
	return startOn(t, settings, upstreamtest.Script{})
}

// startOn is start with a server of a script.
func startOn(t *testing.T, settings map[string]any, script upstreamtest.Script) protocol.GatewayInfoResult {
	t.Helper()
	command, args, env := upstreamtest.Program(t, script)
	dir := t.TempDir()
	writeServers(t, dir, map[string]any{"std": map[string]any{"command": command, "args": args, "env": env}})
	h := daemontest.Run(t, daemontest.Options{Workspace: dir})
	h.Initialize(settings)
	h.UntilState("std", protocol.ServerReady)
	return daemontest.Call[protocol.GatewayInfoResult](h, protocol.MethodGatewayInfo, protocol.Empty{})
}

// bearer sends the token with each request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// Revisions of MCP: the last one with sessions, and the first one without.
const (
	withSessions    = "2025-11-25"
	withoutSessions = "2026-07-28"
)

// connect opens a session of the last revision that has sessions.
func connect(t *testing.T, info protocol.GatewayInfoResult, name string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return connectBy(t, overHTTP(info), withSessions, name, options)
}

func overHTTP(info protocol.GatewayInfoResult) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: info.URL, HTTPClient: &http.Client{Transport: bearer(info.Token)}}
}

// connectBy connects by a transport. An empty version is whichever the SDK
// prefers.
func connectBy(t *testing.T, by mcp.Transport, version, name string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, options)
	session, err := c.Connect(t.Context(), by, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func names(t *testing.T, s *mcp.ClientSession) []string {
	t.Helper()
	r, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func call(t *testing.T, s *mcp.ClientSession, name string, arguments any) (first string, all *mcp.CallToolResult) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if text, ok := r.Content[0].(*mcp.TextContent); ok {
		first = text.Text
	}
	return first, r
}

func TestGoSDK_loadAndList(t *testing.T) {
	t.Parallel()
	info := start(t, map[string]any{"threshold": 1, "gateway": map[string]any{"mode": "dynamic"}})
	changed := make(chan struct{}, 16)
	s := connect(t, info, "go-sdk", &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	if got := names(t, s); !slices.Equal(got, []string{"mcp_load", "mcp_call", "mcp_read"}) {
		t.Fatalf("%q", got)
	}
	call(t, s, "mcp_load", map[string]any{"names": []string{"echo"}})
	select {
	case <-changed:
	case <-time.After(patience):
		t.Fatal("the client is not told that its list has grown")
	}
	if got := names(t, s); !slices.Equal(got, []string{"mcp_load", "mcp_call", "mcp_read", "echo"}) {
		t.Errorf("%q", got)
	}
	if text, r := call(t, s, "echo", map[string]any{"text": "hi"}); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("%s", text)
	}
	if other := connect(t, info, "another", nil); !slices.Equal(names(t, other), []string{"mcp_load", "mcp_call", "mcp_read"}) {
		t.Errorf("another session sees %q", names(t, other))
	}
}

func TestGoSDK_searchCallAndReadToTheEnd(t *testing.T) {
	t.Parallel()
	info := start(t, map[string]any{
		"threshold": 1, "gateway": map[string]any{"mode": "dispatch"}, "results": map[string]any{"maxChars": 2000},
	})
	s := connect(t, info, "go-sdk", nil)
	if text, _ := call(t, s, "mcp_search", map[string]any{"query": "so many bytes"}); !strings.Contains(text, "big(bytes?: integer") {
		t.Errorf("%s", text)
	}
	byName := func(name string, arguments map[string]any) map[string]any {
		return map[string]any{"name": name, "arguments": arguments}
	}
	cut, _ := call(t, s, "mcp_call", byName("big", map[string]any{"bytes": 7777}))
	_, handle, _ := strings.Cut(cut, `"handle":"`)
	handle, _, _ = strings.Cut(handle, `"`)
	whole := ""
	for len(whole) < 7777 {
		part, r := call(t, s, "mcp_call", byName("mcp_result", map[string]any{"handle": handle, "offset": len(whole)}))
		if r.IsError || part == "" {
			t.Fatalf("%s", part)
		}
		whole += part
	}
	if whole != strings.Repeat("x", 7777) {
		t.Errorf("%d characters were read", len(whole))
	}
}

func TestGoSDK_progressAndCancel(t *testing.T) {
	t.Parallel()
	arrived := upstreamtest.Listen(t)
	info := startOn(t, map[string]any{"gateway": map[string]any{"mode": "all"}}, upstreamtest.Script{ReceivedFile: arrived.Address()})
	reports := make(chan float64, 16)
	s := connect(t, info, "go-sdk", &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			reports <- r.Params.Progress
		},
	})
	params := &mcp.CallToolParams{Name: "count", Arguments: map[string]any{"steps": 3}}
	params.SetProgressToken("p")
	if _, err := s.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	for want := 1.0; want <= 3; want++ {
		select {
		case got := <-reports:
			if got != want {
				t.Errorf("report %v, want %v", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("report %v did not come", want)
		}
	}
	checkCancels(t, s, arrived)
}

// checkCancels cancels a call that its server has begun: it ends, and the server
// goes on.
func checkCancels(t *testing.T, s *mcp.ClientSession, arrived *upstreamtest.Sink) {
	t.Helper()
	sleeps := func(text string) int { return strings.Count(text, `"sleep"`) }
	before := sleeps(arrived.Text())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sleep", Arguments: map[string]any{"ms": 600000}})
		ended <- err
	}()
	arrived.Until("the call to be under way", func(text string) bool { return sleeps(text) > before })
	cancel()
	if err := <-ended; err == nil {
		t.Error("a call that was cancelled is answered")
	}
	if text, _ := call(t, s, "echo", map[string]any{"text": "still here"}); !strings.Contains(text, "still") {
		t.Errorf("%s", text)
	}
}
