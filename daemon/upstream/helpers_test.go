package upstream

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// patienceForTests bounds every wait; it is long because the machine may be
// busy, and is never reached by a test that passes.
const patienceForTests = 2 * time.Minute

// newTestManager returns a manager that is closed at the end of the test.
func newTestManager(t *testing.T, opts Options) *Manager {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	m := NewManager(opts)
	t.Cleanup(func() { closeManager(t, m) })
	return m
}

// closeManager closes a manager. How long that may take is for
// TestFault_HangsAtTheEnd to say, which runs alone.
func closeManager(t *testing.T, m *Manager) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patienceForTests)
	defer cancel()
	if err := m.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
}

// testWriter logs to a test. A test may be over when a process reports its
// end; those lines are dropped.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	if w.t.Context().Err() == nil {
		w.t.Log(strings.TrimSpace(string(p)))
	}
	return len(p), nil
}

// scriptedConfig configures a server that follows a script.
func scriptedConfig(t *testing.T, name string, s upstreamtest.Script) Config {
	t.Helper()
	command, args, env := upstreamtest.Program(t, s)
	return Config{Name: name, Command: command, Args: args, Env: env}
}

func apply(t *testing.T, m *Manager, configs ...Config) {
	t.Helper()
	if err := m.Apply(t.Context(), configs); err != nil {
		t.Fatalf("apply: %v", err)
	}
}

// waitFor waits for a server to be as cond wants it.
func waitFor(t *testing.T, m *Manager, name, what string, cond func(ServerSnapshot) bool) ServerSnapshot {
	t.Helper()
	deadline := time.After(patienceForTests)
	for {
		s, _ := m.Snapshot().Server(name)
		if cond(s) {
			return s
		}
		select {
		case <-m.Updates():
		case <-deadline:
			log, _ := m.Log(name)
			t.Fatalf("server %q did not get to: %s\nlast seen: %+v\nlog:\n%s", name, what, s.Status, log)
		}
	}
}

func waitState(t *testing.T, m *Manager, name string, state State) ServerSnapshot {
	t.Helper()
	return waitFor(t, m, name, "state "+string(state), func(s ServerSnapshot) bool { return s.Status.State == state })
}

// call calls a tool and fails the test if that fails.
func call(t *testing.T, m *Manager, server, tool, args string) *Result {
	t.Helper()
	r, err := tryCall(t, m, server, tool, args)
	if err != nil {
		t.Fatalf("call %s/%s: %v", server, tool, err)
	}
	return r
}

func tryCall(t *testing.T, m *Manager, server, tool, args string) (*Result, error) {
	t.Helper()
	// Not the test's context: that has ended when a cleanup calls.
	ctx, cancel := context.WithTimeout(context.Background(), patienceForTests)
	defer cancel()
	return m.Call(ctx, CallRequest{Server: server, Tool: tool, Arguments: json.RawMessage(args)})
}

// pids reads the process ids that a scripted server has noted.
func pids(t *testing.T, file string) []int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("process ids: %v", err)
	}
	return parsePIDs(t, string(data))
}

// parsePIDs reads process ids, one a line.
func parsePIDs(t *testing.T, text string) []int {
	t.Helper()
	var out []int
	for _, field := range strings.Fields(text) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatalf("process id %q: %v", field, err)
		}
		out = append(out, pid)
	}
	return out
}

// tempFile names a file that does not exist yet.
func tempFile(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(t.TempDir(), name)
}

// toolNames lists the names of a server's tools.
func toolNames(s ServerSnapshot) []string {
	names := make([]string, 0, len(s.Tools))
	for _, tool := range s.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// firstText returns the text of a result's first content.
func firstText(t *testing.T, r *Result) string {
	t.Helper()
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(r.Raw, &result); err != nil || len(result.Content) == 0 {
		t.Fatalf("result without text: %s (%v)", r.Raw, err)
	}
	return result.Content[0].Text
}

// expectCancelled waits for notifications/cancelled in what a server received.
func expectCancelled(received *upstreamtest.Sink) {
	received.Until("notifications/cancelled", func(text string) bool { return strings.Contains(text, `"notifications/cancelled"`) })
}
