package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/journal"
)

// model answers Codex by the Responses API: a call of a tool each time it is asked, and at
// last a word.
type model struct {
	*httptest.Server

	mu sync.Mutex
	// calls are those that are left. results are what came of the others.
	calls   []modelCall
	results []string
	wrong   []string
}

// modelCall is a call of a tool whose name ends so.
type modelCall struct {
	tool      string
	arguments any
}

func startModel(t *testing.T, calls ...modelCall) *model {
	t.Helper()
	m := &model{calls: calls}
	m.Server = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.Close)
	return m
}

// answer answers a request for a response.
func (m *model) answer(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Tools []struct {
			Type, Name string
			Tools      []struct{ Name string }
		}
		Input []struct {
			Type   string
			Output json.RawMessage
		}
	}
	body, err := io.ReadAll(r.Body)
	if !strings.HasSuffix(r.URL.Path, "/responses") || err != nil || json.Unmarshal(body, &asked) != nil {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	item := map[string]any{"type": "message", "id": "m", "role": "assistant", "content": []any{map[string]string{"type": "output_text", "text": "done"}}}
	if len(asked.Tools) > 0 {
		m.results = nil
		for _, one := range asked.Input {
			if one.Type == "function_call_output" {
				m.results = append(m.results, string(one.Output))
			}
		}
		if len(m.calls) > 0 {
			next := m.calls[0]
			m.calls = m.calls[1:]
			arguments, _ := json.Marshal(next.arguments)
			item = nil
			for _, tool := range asked.Tools {
				if strings.HasSuffix(tool.Name, next.tool) {
					item = map[string]any{"name": tool.Name}
				}
				for _, within := range tool.Tools {
					if strings.HasSuffix(within.Name, next.tool) {
						item = map[string]any{"name": within.Name, "namespace": tool.Name}
					}
				}
			}
			if item == nil {
				m.wrong = append(m.wrong, fmt.Sprintf("no tool %s is offered: %s", next.tool, body))
				http.NotFound(w, r)
				return
			}
			item["type"], item["id"], item["call_id"], item["arguments"] = "function_call", "f", fmt.Sprint("c", len(m.results)), string(arguments)
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []map[string]any{
		{"type": "response.created", "response": map[string]string{"id": "r"}},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": map[string]any{"id": "r", "output": []any{item}, "usage": map[string]int{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}},
	} {
		text, _ := json.Marshal(event)
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], text)
	}
}

// TestTeam_codex: a model in Codex finds, reads and writes by three replicas behind haproxy,
// as the user whose token Codex has, once each. It is run by `npm test -- agents`, which
// installs Codex.
func TestTeam_codex(t *testing.T) {
	modules := os.Getenv("WINNOW_AGENTS_MODULES")
	if modules == "" {
		t.Skip("WINNOW_AGENTS_MODULES says where Codex is: npm test -- agents")
	}
	server := startServer(t, true)
	f := newFixture(t, 3, server)
	f.balance()
	m := startModel(t, modelCall{"mcp_search", map[string]string{"query": "notes of the archive"}},
		modelCall{"mcp_call", map[string]any{"name": "read_note", "arguments": map[string]string{"id": "read"}}},
		modelCall{"mcp_call", map[string]any{"name": "write_note", "arguments": map[string]string{"id": "written"}}})
	home := t.TempDir()
	config := fmt.Sprintf(`model = "scripted"
model_provider = "test"
check_for_update_on_startup = false
[model_providers.test]
name = "test"
base_url = "%s/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.team]
url = "http://%s/mcp"
bearer_token_env_var = "TEAM_TOKEN"
required = true
startup_timeout_sec = 60
`, m.URL, f.balancer)
	if err := errors.Join(os.Mkdir(filepath.Join(home, ".codex"), 0o700), os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	codex := exec.CommandContext(t.Context(), "node", filepath.Join(modules, "@openai", "codex", "bin", "codex.js"), "exec",
		"--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Write down what the note says")
	codex.Dir = t.TempDir()
	codex.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=dumb", "NO_COLOR=1", "TEAM_TOKEN=" + f.tokens["alice"]}
	out, err := codex.CombinedOutput()
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil || len(m.calls) > 0 || len(m.results) != 3 || len(m.wrong) > 0 {
		t.Fatalf("%v; %d calls are left, results are %q, %q; Codex says %s", err, len(m.calls), m.results, m.wrong, out)
	}
	if found := m.results[0]; !strings.Contains(found, "read_note") || !strings.Contains(found, "write_note") {
		t.Errorf("the search finds %s", found)
	}
	if read, written := server.count("read"), server.count("written"); read != 1 || written != 1 {
		t.Errorf("read %d times, written %d times: %q", read, written, m.results)
	}
	f.until("both calls are in the record", func() bool {
		entries, _, err := f.store.Journal().Of(t.Context(), journal.Filter{Outcome: journal.OK}, "alice", 10)
		if err != nil {
			t.Fatal(err)
		}
		tools := map[string]bool{}
		for _, e := range entries {
			tools[e.Tool] = true
		}
		return tools["read_note"] && tools["write_note"]
	})
	if text := string(out) + strings.Join(m.results, ""); strings.Contains(text, f.tokens["alice"]) {
		t.Error("the token is told")
	}
}
