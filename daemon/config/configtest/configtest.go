// Package configtest writes workspaces for tests: a winnow.json whose servers run scripts
// of package upstreamtest.
package configtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// Entry is one server of a configuration file.
type Entry = protocol.ServerEntry

// Servers holds the servers of a file, by name.
type Servers = map[string]Entry

// Modes holds the modes of a file, by slug.
type Modes = map[string]protocol.ModeEntry

// Scripted returns the entry of a server that runs a script.
func Scripted(t testing.TB, s upstreamtest.Script) Entry {
	t.Helper()
	command, args, env := upstreamtest.Program(t, s)
	e := Entry{Command: command, Args: args, Env: map[string]protocol.EnvValue{}}
	for name, value := range env {
		e.Env[name] = value
	}
	return e
}

// Tool returns the JSON of a tool for a script.
func Tool(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`,
		name, description)
}

// Write writes a file atomically and creates its folders.
func Write(t testing.TB, path, text string) {
	t.Helper()
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if err := errors.Join(os.WriteFile(whole, []byte(text), 0o600), os.Rename(whole, path)); err != nil {
		t.Fatal(err)
	}
}

// Read reads a file, or returns "" if there is none.
func Read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
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

// WinnowFile returns the path of a workspace's winnow.json.
func WinnowFile(workspace string) string { return filepath.Join(workspace, ".vscode", "winnow.json") }

// WorkspaceWith returns a workspace with these servers.
func WorkspaceWith(t testing.TB, s Servers, m Modes) string {
	t.Helper()
	dir := t.TempDir()
	Save(t, dir, s, m)
	return dir
}

// ClaudeFile writes another client's servers in the workspace, and returns the file's
// path.
func ClaudeFile(t testing.TB, workspace string, s Servers) string {
	t.Helper()
	path := filepath.Join(workspace, ".mcp.json")
	raw, err := json.Marshal(map[string]any{"mcpServers": s})
	if err != nil {
		t.Fatal(err)
	}
	Write(t, path, string(raw))
	return path
}

// Received counts the calls of a scripted server.
func Received(t testing.TB, file string) int {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(raw), `"tools/call"`)
}

// FileURI returns the file: URI of an absolute path.
func FileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
