package daemontest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// Entry is one server of a configuration file.
type Entry = protocol.ServerEntry

// Servers are the servers of a file, by name.
type Servers = map[string]Entry

// Modes are the modes of a file, by slug.
type Modes = map[string]protocol.ModeEntry

// Scripted is the entry of a server that follows a script.
func Scripted(t testing.TB, s upstreamtest.Script) Entry {
	t.Helper()
	command, args, env := upstreamtest.Program(t, s)
	e := Entry{Command: command, Args: args, Env: map[string]protocol.EnvValue{}}
	for name, value := range env {
		e.Env[name] = value
	}
	return e
}

// Tool is the JSON of a tool for a script.
func Tool(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`,
		name, description)
}

// Write writes a file and the folders above it.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Save writes a workspace's winnow.json.
func Save(t testing.TB, workspace string, s Servers, m Modes) {
	t.Helper()
	text, err := json.MarshalIndent(protocol.WinnowFile{Servers: s, Modes: m}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	Write(t, WinnowFile(workspace), string(text))
}

// WinnowFile is the path of a workspace's winnow.json.
func WinnowFile(workspace string) string { return filepath.Join(workspace, ".vscode", "winnow.json") }

// WorkspaceWith returns a workspace with these servers.
func WorkspaceWith(t testing.TB, s Servers, m Modes) string {
	t.Helper()
	dir := t.TempDir()
	Save(t, dir, s, m)
	return dir
}

// Begin runs a daemon in the test's process on servers that all get ready.
func Begin(t testing.TB, settings map[string]any, s Servers, m Modes) *Host {
	t.Helper()
	h := Run(t, Options{Workspace: WorkspaceWith(t, s, m)})
	h.Initialize(settings)
	UntilReady(h, s)
	return h
}

// UntilReady waits for servers to be ready.
func UntilReady(h *Host, s Servers) {
	for name := range s {
		h.UntilState(name, protocol.ServerReady)
	}
}

// Notes returns the params of the notifications of a method, oldest first.
func Notes[P any](h *Host, method string) []P {
	var all []P
	for _, n := range h.Notes() {
		if n.Method != method {
			continue
		}
		var p P
		if err := json.Unmarshal(n.Params, &p); err != nil {
			h.Fatalf("%s with params %s: %v", method, n.Params, err)
		}
		all = append(all, p)
	}
	return all
}

// Standard is a server of the standard tools, which a threshold of 1 routes.
func Standard(t testing.TB, settings map[string]any) (*Host, Servers) {
	s := Servers{"std": Scripted(t, upstreamtest.Script{})}
	all := map[string]any{"threshold": 1}
	for k, v := range settings {
		all[k] = v
	}
	h := Begin(t, all, s, nil)
	UntilReady(h, s)
	return h, s
}

// Received counts the calls that reached a scripted server.
func Received(t testing.TB, file string) int {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(raw), `"tools/call"`)
}

// Vouch approves of all that a server says, so that its word that a tool only
// reads counts.
func Vouch(h *Host, server string) {
	info, _ := h.Server(server)
	Call[protocol.LockDecideResult](h, protocol.MethodLockApprove, protocol.LockDecideParams{Server: server, Content: info.Content})
}
