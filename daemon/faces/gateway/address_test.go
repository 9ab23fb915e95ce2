package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
	"github.com/winnow-mcp/winnow/protocol"
)

// addressOf returns where a face is reached over HTTP.
func addressOf(t testing.TB, face *gateway.Face) protocol.GatewayInfoResult {
	t.Helper()
	info, err := face.Info()
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// Who does not know the token, or is led here by a web page, gets nothing.
func TestAddress_authorization(t *testing.T) {
	t.Parallel()
	info := addressOf(t, faceOf(t, newEngine(t, serverOf("std", "echo"))))
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

// How each client reaches the gateway, in its own words, under a name that no
// server of the user's has.
func TestAddress_snippets(t *testing.T) {
	t.Parallel()
	f := newEngine(t, serverOf("std", "echo"))
	f.folders = []workspace.Folder{{Name: "mine", Path: t.TempDir()}}
	face := faceOf(t, f)
	info := addressOf(t, face)
	if again := addressOf(t, face); again.URL != info.URL || again.Token != info.Token {
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

// A name that a server of the user's has is not the gateway's too.
func TestAddress_label(t *testing.T) {
	t.Parallel()
	f := newEngine(t, serverOf("winnow"), serverOf("winnow2"))
	info := addressOf(t, faceOf(t, f))
	if info.Label != "winnow3" || !strings.Contains(info.Snippets[0].Text, "winnow3") {
		t.Errorf("got %q and %s, want winnow3", info.Label, info.Snippets[0].Text)
	}
}

// The address is on this machine alone, and another one with another token at each
// start.
func TestAddress_anew(t *testing.T) {
	t.Parallel()
	first, second := addressOf(t, faceOf(t, newEngine(t))), addressOf(t, faceOf(t, newEngine(t)))
	if first.URL == second.URL || first.Token == second.Token || first.Token == "" {
		t.Errorf("got %s and %s, want two addresses and two tokens", first.URL, second.URL)
	}
	for _, info := range []protocol.GatewayInfoResult{first, second} {
		if !strings.HasPrefix(info.URL, "http://127.0.0.1:") {
			t.Errorf("the address %s is not this machine's alone", info.URL)
		}
	}
}

// A client that listens over HTTP is told of a change.
func TestAddress_changed(t *testing.T) {
	t.Parallel()
	f := newEngine(t, serverOf("std", "one"))
	f.settings.Gateway.Mode = protocol.GatewayAll
	info := addressOf(t, faceOf(t, f))
	//lint:ignore SA1019 only the revisions that have sessions have lists of one's own
	stream := transport.WithContinuousListening()
	over, err := transport.NewStreamableHTTP(info.URL, stream, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + info.Token}))
	if err != nil {
		t.Fatal(err)
	}
	p := gatewaytest.Join(t, over, "test", true)
	listNames(t, p.Client)
	// The client opens its stream beside everything else, and what it is told before
	// that is lost: there is a change for each answer, until one arrives.
	const most = 1000
	for n := range most {
		f.change(func(s *state) { s.servers = append(s.servers, serverOf(fmt.Sprint("late", n), fmt.Sprint("two", n))) })
		//lint:ignore SA1019 the revisions that have sessions have it
		if err := p.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(p.Told) > 0 {
			break
		}
	}
	select {
	case n := <-p.Told:
		if n.Method != listChanged {
			t.Errorf("told of %s, want of the list", n.Method)
		}
	default:
		t.Errorf("the client is not told of any of %d changes", most)
	}
	if got, want := listNames(t, p.Client), []string{"mcp_result", "one", "two0"}; len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("got %q, want first %q", got, want)
	}
}

// cacheHints are what MCP 2026-07-28 wants in each result that may be kept.
type cacheHints struct {
	TTLMs      *int64  `json:"ttlMs"`
	CacheScope *string `json:"cacheScope"`
}

// askModern sends a request of MCP 2026-07-28 by hand.
func askModern(t *testing.T, info protocol.GatewayInfoResult, method string) cacheHints {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"hand","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	r := send(t, info, body, func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
	})
	defer r.Body.Close()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result *cacheHints `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Result == nil {
		t.Fatalf("%s: got %s: %s (%v)", method, r.Status, raw, err)
	}
	return *answer.Result
}

// Each list says how long it may be kept, and by whom: the servers are one user's.
// A client with a session is told of changes, and gets no such word.
func TestAddress_cacheHints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		say  func(s *state)
		ttl  int64
	}{
		{"nothing is about to change", func(*state) {}, 60_000},
		{"a server starts", func(s *state) { s.starting = true }, 0},
		{"tools are unknown", func(s *state) { s.servers[0].Unknown = true }, 0},
	} {
		f := newEngine(t, serverOf("std", "echo"))
		f.change(tt.say)
		info := addressOf(t, faceOf(t, f))
		for method, ttl := range map[string]int64{
			"server/discover": tt.ttl, "tools/list": tt.ttl, "resources/list": 0, "resources/templates/list": 0, "prompts/list": 0,
		} {
			hints := askModern(t, info, method)
			if hints.TTLMs == nil || *hints.TTLMs != ttl || hints.CacheScope == nil || *hints.CacheScope != "private" {
				raw, _ := json.Marshal(hints)
				t.Errorf("%s, %s: got %s, want ttlMs %d and cacheScope private", tt.name, method, raw, ttl)
			}
		}
		if text := post(t, info, session(t, info), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(text, "mcp_search") || strings.Contains(text, "ttlMs") {
			t.Errorf("%s: of an older revision: got %s, want the list without ttlMs", tt.name, text)
		}
	}
}
