package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy"
	"github.com/winnow-mcp/winnow/protocol"
)

const earlyAnswer = `{"id":"1","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c9","type":"function","function":{"name":"mcp__garage__tool_29","arguments":"{}"}}]}}]}
{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
[DONE]`

// earlyMessages are how a client tells that it has made the call.
const earlyMessages = `{"role":"assistant","content":null,"tool_calls":[{"id":"c9","type":"function","function":{"name":"mcp__garage__tool_29","arguments":"{}"}}]},` +
	`{"role":"tool","tool_call_id":"c9","content":"done"}`

// sent returns the names of the tools of each request that the provider got.
func (p *scriptedProvider) sent(t *testing.T) [][]string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([][]string, len(p.bodies))
	for i, body := range p.bodies {
		var r providerRequest
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		all[i] = r.names()
	}
	return all
}

// A model that calls a tool which it was not sent: the call is the client's, who
// has the tool, and from the next request on the provider has it too, behind
// those before.
func TestAlone_earlyCall(t *testing.T) {
	t.Parallel()
	for _, policy := range protocol.EarlyCalls() {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			provider := &scriptedProvider{answers: []string{earlyAnswer, textAnswer}}
			server := httptest.NewServer(provider)
			t.Cleanup(server.Close)
			settings := json.RawMessage(fmt.Sprintf(`{"earlyCall":%q,"initialK":5}`, policy))
			p := startProxyWith(t, t.TempDir(), server.URL, proxy.Alone{Initialize: protocol.InitializeParams{Settings: settings}})
			user := `{"role":"user","content":"water the garden"}`
			if answer := p.ask(t, user); !strings.Contains(answer, "mcp__garage__tool_29") {
				t.Errorf("the client got %s, want the call", answer)
			}
			p.ask(t, user, earlyMessages)
			sent := provider.sent(t)
			if slices.Contains(sent[0], "mcp__garage__tool_29") {
				t.Fatalf("the tool was among the first: %q", sent[0])
			}
			if want := append(slices.Clone(sent[0]), "mcp__garage__tool_29"); !slices.Equal(sent[1], want) {
				t.Errorf("after the call the provider gets %q, want %q", sent[1], want)
			}
		})
	}
}

// A tool that only the history names is sent, also where nothing is known of
// the conversation and its message asks for something else.
func TestAlone_historyNamesATool(t *testing.T) {
	t.Parallel()
	provider := &scriptedProvider{answers: []string{textAnswer}}
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	p := startProxyWith(t, t.TempDir(), server.URL, proxy.Alone{Initialize: protocol.InitializeParams{Settings: json.RawMessage(`{"initialK":5,"maxTools":5}`)}})
	user, thanks := `{"role":"user","content":"tidy up"}`, `{"role":"user","content":"now do thing 3 of the kitchen"}`
	p.ask(t, user, earlyMessages, `{"role":"assistant","content":"Done."}`, thanks)
	p.ask(t, user, earlyMessages, `{"role":"assistant","content":"Done."}`, thanks, `{"role":"assistant","content":"Done."}`, `{"role":"user","content":"and the mail"}`)
	for i, names := range provider.sent(t) {
		if !slices.Contains(names, "mcp__garage__tool_29") || len(names) > 20 {
			t.Errorf("request %d has %q, want mcp__garage__tool_29 among a few", i, names)
		}
	}
}

// The rules of a mode hold for what the proxy sends.
func TestAlone_modes(t *testing.T) {
	t.Parallel()
	const modes = `{"modes":{"only":{"allowedMcpServers":["garden","mail"]},"without":{"blockedMcpServers":["garden"]}}}`
	for mode, want := range map[string][]string{
		"":        {"garage", "garden", "kitchen", "mail"},
		"only":    {"garden", "mail"},
		"without": {"garage", "kitchen", "mail"},
	} {
		t.Run("mode "+mode, func(t *testing.T) {
			t.Parallel()
			provider := &scriptedProvider{answers: []string{textAnswer}}
			server := httptest.NewServer(provider)
			t.Cleanup(server.Close)
			workspace := t.TempDir()
			if err := os.Mkdir(filepath.Join(workspace, ".vscode"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(workspace, ".vscode", "winnow.json"), []byte(modes), 0o600); err != nil {
				t.Fatal(err)
			}
			p := startProxyWith(t, t.TempDir(), server.URL, proxy.Alone{Initialize: protocol.InitializeParams{
				Trusted: true, Mode: mode, Settings: json.RawMessage(`{"initialK":100}`),
				WorkspaceFolders: []protocol.WorkspaceFolder{{URI: "file://" + filepath.ToSlash(workspace), Name: "w"}},
			}})
			p.ask(t, `{"role":"user","content":"do thing 3 of the garden, the garage, the kitchen and the mail"}`)
			servers := map[string]bool{}
			for _, name := range provider.sent(t)[0] {
				if parts := strings.Split(name, "__"); len(parts) == 3 {
					servers[parts[1]] = true
				}
			}
			got := make([]string, 0, len(servers))
			for name := range servers {
				got = append(got, name)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("the provider gets tools of %q, want %q", got, want)
			}
		})
	}
}
