package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestGateway_dynamicLoadsAndAppends(t *testing.T) {
	t.Parallel()
	h, _ := standard(t, map[string]any{"gateway": map[string]any{"mode": "dynamic"}})
	p := meet(t, h, ways()["http"], true)
	c := p.Client
	if got := listNames(t, c); !slices.Equal(got, []string{"mcp_load", "mcp_call"}) {
		t.Fatalf("a new session sees %q", got)
	}
	text, _ := callClient(t, c, "mcp_load", map[string]any{"names": []string{"sleep"}})
	if !strings.Contains(text, "sleep(ms: integer)") || !strings.Contains(text, "mcp_call") {
		t.Errorf("a client that does not list again is told no way to the tool: %s", text)
	}
	if text, r := callClient(t, c, "mcp_call", byName("sleep", map[string]any{"ms": 1})); r.IsError {
		t.Errorf("what was loaded cannot be called by mcp_call: %s", text)
	}
	p.Await(t, mcp.MethodNotificationToolsListChanged, func(map[string]any) bool { return true }) // the list has grown
	callClient(t, c, "mcp_load", map[string]any{"names": []string{"echo", "count"}})
	if got := listNames(t, c); !slices.Equal(got, []string{"mcp_load", "mcp_call", "sleep", "count", "echo"}) {
		t.Errorf("the list is %q; it must grow at its end", got)
	}
	if text, r := callClient(t, c, "echo", map[string]any{"text": "hi"}); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("%s", text)
	}
	if other := connect(t, gatewayOf(h), "other"); !slices.Equal(listNames(t, other), []string{"mcp_load", "mcp_call"}) {
		t.Errorf("another session sees %q", listNames(t, other))
	}
}

func TestGateway_modes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode, client string
		want         []string
	}{
		{"auto", "Roo Code", []string{"mcp_search", "mcp_call"}},
		{"auto", "claude-code", []string{"mcp_search", "mcp_call"}},
		{"auto", "nobody knows", []string{"mcp_search", "mcp_call"}},
		{"auto", "Visual Studio Code", []string{"mcp_load", "mcp_call"}},
		{"auto", "opencode", []string{"mcp_load", "mcp_call"}},
		{"dynamic", "Roo Code", []string{"mcp_load", "mcp_call"}}, // the user knows better
		{"dispatch", "cursor-vscode", []string{"mcp_search", "mcp_call"}},
		{"all", "Roo Code", []string{"mcp_result", "bare", "big", "count", "echo", "env", "exit", "fail", "refuse", "sleep"}},
	} {
		t.Run(tc.mode+" "+tc.client, func(t *testing.T) {
			t.Parallel()
			h, _ := standard(t, map[string]any{"gateway": map[string]any{"mode": tc.mode}})
			if got := listNames(t, connect(t, gatewayOf(h), tc.client)); !slices.Equal(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestGateway_dispatch(t *testing.T) {
	t.Parallel()
	h, _ := standard(t, map[string]any{"results": map[string]any{"maxChars": 2000}})
	info := gatewayOf(h)
	c, thief := connect(t, info, "Zoo Code"), connect(t, info, "Zoo Code")
	if text, _ := callClient(t, c, "mcp_search", map[string]any{"query": "answers with so many bytes"}); !strings.Contains(text, "big(bytes?: integer") {
		t.Errorf("%s", text)
	}
	text, _ := callClient(t, c, "mcp_call", byName("big", map[string]any{"bytes": 9000}))
	_, handle, _ := strings.Cut(text, `"handle":"`)
	handle, _, _ = strings.Cut(handle, `"`)
	var whole strings.Builder
	for whole.Len() < 9000 {
		_, r := callClient(t, c, "mcp_call", byName("mcp_result", map[string]any{"handle": handle, "offset": whole.Len()}))
		part, ok := r.Content[0].(mcp.TextContent)
		if !ok || r.IsError || part.Text == "" {
			t.Fatalf("%+v", r)
		}
		whole.WriteString(part.Text)
	}
	if whole.String() != strings.Repeat("x", 9000) {
		t.Errorf("%d characters were read", whole.Len())
	}
	if text, r := callClient(t, thief, "mcp_call", byName("mcp_result", map[string]any{"handle": handle})); !r.IsError {
		t.Errorf("another session reads the handle: %.80s", text)
	}
	if text, r := callClient(t, c, "mcp_call", byName("sleep", map[string]any{})); !r.IsError || !strings.Contains(text, "ms") {
		t.Errorf("%s", text)
	}
	if text, r := callClient(t, c, "no_such_tool", nil); !r.IsError || !strings.Contains(text, "no tool") {
		t.Errorf("%s", text)
	}
}

// An integer that no float64 holds, an output schema, annotations: all of it
// passes as it came.
func TestGateway_passesThrough(t *testing.T) {
	t.Parallel()
	odd := `{"name":"echo","title":"Echo","description":"d","inputSchema":{"type":"object","oneOf":[{"required":["a"]}],"x-own":1},` +
		`"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"annotations":{"readOnlyHint":true,"title":"E"}}`
	s := servers{"std": scripted(t, upstreamtest.Script{Tools: []string{odd, tool("count", "c"), tool("sleep", "s"), tool("fail", "f"), tool("refuse", "r")}})}
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "all"}}, s, nil)
	h.UntilReady(s)
	info := gatewayOf(h)
	c := connect(t, info, "test")
	raw := post(t, info, session(t, info), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	for _, part := range []string{`"oneOf":[{"required":["a"]}]`, `"x-own":1`, `"outputSchema":{`, `"readOnlyHint":true`, `"title":"Echo"`} {
		if !strings.Contains(raw, part) {
			t.Errorf("%s is lost in %s", part, raw)
		}
	}
	if text, _ := callClient(t, c, "echo", json.RawMessage(`{"a":12345678901234567890}`)); text != `{"a":12345678901234567890}` {
		t.Errorf("%s", text)
	}
	if text, r := callClient(t, c, "fail", nil); !r.IsError || text != "it went wrong" {
		t.Errorf("%s", text)
	}
	if text, r := callClient(t, c, "refuse", nil); !r.IsError || !strings.Contains(text, "bad arguments") {
		t.Errorf("%s", text)
	}
	stream := post(t, info, session(t, info), `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count","arguments":{"steps":3},"_meta":{"progressToken":"p1"}}}`)
	if n := strings.Count(stream, `"progressToken":"p1"`); n != 3 || !strings.Contains(stream, "counted") {
		t.Errorf("%d of 3 reports came: %s", n, stream)
	}
}

func TestGateway_cancels(t *testing.T) {
	t.Parallel()
	arrived := upstreamtest.Listen(t)
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "all"}},
		servers{"std": scripted(t, upstreamtest.Script{ReceivedFile: arrived.Address()})}, nil)
	c := connect(t, gatewayOf(h), "test")
	ctx, cancel := context.WithCancel(t.Context())
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = "sleep", map[string]any{"ms": 600000}
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, r)
		ended <- err
	}()
	arrived.Until("the call to be under way", func(text string) bool { return strings.Contains(text, `"tools/call"`) })
	cancel()
	if err := <-ended; err == nil {
		t.Error("a call that was cancelled is answered")
	}
	arrived.Until("the server to be told", func(text string) bool { return strings.Contains(text, `"notifications/cancelled"`) })
	if text, _ := callClient(t, c, "echo", map[string]any{"text": "still here"}); !strings.Contains(text, "still") {
		t.Errorf("%s", text)
	}
}

func TestGateway_authorization(t *testing.T) {
	t.Parallel()
	h, _ := standard(t, nil)
	info := gatewayOf(h)
	id := session(t, info)
	for name, tc := range map[string]struct {
		edit func(*http.Request)
		want int
	}{
		"no token":           {func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		"a wrong token":      {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+info.Token[1:]+"x") }, http.StatusUnauthorized},
		"an empty token":     {func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, http.StatusUnauthorized},
		"two tokens":         {func(r *http.Request) { r.Header.Add("Authorization", "Bearer x") }, http.StatusUnauthorized},
		"basic":              {func(r *http.Request) { r.SetBasicAuth("Bearer", info.Token) }, http.StatusUnauthorized},
		"a foreign origin":   {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		"a null origin":      {func(r *http.Request) { r.Header.Set("Origin", "null") }, http.StatusForbidden},
		"a local origin":     {func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, http.StatusForbidden},
		"DNS rebinding":      {func(r *http.Request) { r.Host = "evil.example:" + r.URL.Port() }, http.StatusForbidden},
		"another port":       {func(r *http.Request) { r.Host = "127.0.0.1:1" }, http.StatusForbidden},
		"no host":            {func(r *http.Request) { r.Host = "127.0.0.1" }, http.StatusForbidden},
		"another path":       {func(r *http.Request) { r.URL.Path = "/" }, http.StatusNotFound},
		"a path trick":       {func(r *http.Request) { r.URL.Path = "/mcp/../mcp" }, http.StatusNotFound},
		"an unknown session": {func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "AAAAAAAAAAAAAAAAAAAAAAAAAA") }, http.StatusNotFound},
		"no session":         {func(r *http.Request) { r.Header.Del("Mcp-Session-Id") }, http.StatusNotFound},
		"a stream of nobody": {func(r *http.Request) { r.Method = http.MethodGet; r.Header.Del("Mcp-Session-Id") }, http.StatusBadRequest},
		"a made-up stream":   {func(r *http.Request) { r.Method = http.MethodGet; r.Header.Set("Mcp-Session-Id", "x") }, http.StatusNotFound},
		"everything right":   {func(*http.Request) {}, http.StatusOK},
	} {
		r := send(t, info, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, func(r *http.Request) {
			r.Header.Set("Mcp-Session-Id", id)
			tc.edit(r)
		})
		body, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if r.StatusCode != tc.want || r.StatusCode >= 400 && strings.Contains(string(body), "mcp_search") {
			t.Errorf("%s: %s: %s", name, r.Status, body)
		}
		if strings.Contains(string(body), info.Token) {
			t.Errorf("%s: the answer tells the token", name)
		}
	}
}

func TestGateway_manySessionsAtOnce(t *testing.T) {
	t.Parallel()
	s := servers{"std": scripted(t, upstreamtest.Script{}), "dying": scripted(t, upstreamtest.Script{Tools: []string{tool("exit", "Dies.")}})}
	h := begin(t, map[string]any{"threshold": 1}, s, nil)
	h.UntilReady(s)
	info := gatewayOf(h)
	var all sync.WaitGroup
	for i := range 20 {
		c := connect(t, info, "Zoo Code")
		for j := range 10 {
			all.Go(func() {
				word := fmt.Sprintf("s%dc%d", i, j)
				if text, r := callClient(t, c, "mcp_call", byName("echo", map[string]any{"text": word})); r.IsError || text != fmt.Sprintf(`{"text":%q}`, word) {
					t.Errorf("%s got %s", word, text)
				}
				if text, _ := callClient(t, c, "mcp_search", map[string]any{"query": "answers after a time"}); !strings.Contains(text, "sleep(ms") {
					t.Errorf("%s", text)
				}
				if j == 5 {
					callClient(t, c, "mcp_call", byName("mcp__dying__exit", nil))
				}
			})
		}
	}
	all.Wait()
}

func TestGateway_snippets(t *testing.T) {
	t.Parallel()
	h, _ := standard(t, nil)
	info := gatewayOf(h)
	if again := gatewayOf(h); again.URL != info.URL || again.Token != info.Token {
		t.Error("asked again, the gateway is elsewhere")
	}
	if len(info.Snippets) < 4 || info.Label != "winnow" {
		t.Errorf("%+v", info)
	}
	ways := map[string][]protocol.GatewayWay{}
	for _, snippet := range info.Snippets {
		ways[snippet.Client] = append(ways[snippet.Client], snippet.By)
		wants := []string{info.URL, info.Token}
		if snippet.By == protocol.ByProcess {
			wants = []string{"mcp", "-workspace"}
			if snippet.Client == "VS Code" { // it starts the servers of the file in the folder of the file
				wants = wants[:1]
			}
			if strings.Contains(snippet.Text, info.Token) {
				t.Errorf("%s starts a process, and is told the token: %s", snippet.Client, snippet.Text)
			}
		}
		for _, want := range wants {
			if !strings.Contains(snippet.Text, want) {
				t.Errorf("%s: no %s in %s", snippet.Client, want, snippet.Text)
			}
		}
		if snippet.File != "" && !strings.HasSuffix(snippet.File, ".toml") && !json.Valid([]byte(snippet.Text)) {
			t.Errorf("%s is no JSON: %s", snippet.Client, snippet.Text)
		}
	}
	for file, want := range map[string]string{"": "shellscript", "~/.codex/config.toml": "toml", ".cursor/mcp.json": "json"} {
		i := slices.IndexFunc(info.Snippets, func(s protocol.GatewaySnippet) bool { return s.File == file })
		if i < 0 || info.Snippets[i].Language != want {
			t.Errorf("no snippet for %q of %s", file, want)
		}
	}
	for _, client := range []string{"Cursor", "Claude Code", "Zoo Code", "Cline", "VS Code"} {
		if got := ways[client]; !slices.Equal(got, []protocol.GatewayWay{protocol.ByProcess, protocol.ByAddress}) {
			t.Errorf("%s reaches the gateway by %v", client, got)
		}
	}
	for _, client := range []string{"Codex", "Gemini CLI", "opencode", "GitHub Copilot CLI", "Zed", "JetBrains AI Assistant"} {
		if got := ways[client]; !slices.Equal(got, []protocol.GatewayWay{protocol.ByProcess}) {
			t.Errorf("%s reaches the gateway by %v", client, got)
		}
	}
}
