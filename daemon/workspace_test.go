package daemon_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// entry is one server of a configuration file.
type entry = protocol.ServerEntry

// servers are the servers of a file, by name.
type servers = map[string]entry

// modes are the modes of a file, by slug.
type modes = map[string]protocol.ModeEntry

// scripted is the entry of a server that follows a script.
func scripted(t testing.TB, s upstreamtest.Script) entry {
	t.Helper()
	command, args, env := upstreamtest.Program(t, s)
	e := entry{Command: command, Args: args, Env: map[string]protocol.EnvValue{}}
	for name, value := range env {
		e.Env[name] = value
	}
	return e
}

// scriptedByFile is scripted for a script with many tools: the entry is as small
// as real ones are.
func scriptedByFile(t testing.TB, s upstreamtest.Script) entry {
	t.Helper()
	e := scripted(t, s)
	path := filepath.Join(t.TempDir(), "script")
	for name, value := range e.Env {
		write(t, path, fmt.Sprintf("%s=%s", name, value))
	}
	e.Env = map[string]protocol.EnvValue{scriptFile: path}
	return e
}

// tool is the JSON of a tool for a script.
func tool(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`,
		name, description)
}

// write writes a file and the folders above it.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// save writes a workspace's winnow.json.
func save(t testing.TB, workspace string, s servers, m modes) {
	t.Helper()
	text, err := json.MarshalIndent(protocol.WinnowFile{Servers: s, Modes: m}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	write(t, winnowFile(workspace), string(text))
}

func winnowFile(workspace string) string { return filepath.Join(workspace, ".vscode", "winnow.json") }

// workspaceWith returns a workspace with these servers.
func workspaceWith(t testing.TB, s servers, m modes) string {
	t.Helper()
	dir := t.TempDir()
	save(t, dir, s, m)
	return dir
}

// begin runs a daemon in the test's process on servers that all get ready.
func begin(t testing.TB, settings map[string]any, s servers, m modes) *daemontest.Host {
	t.Helper()
	h := daemontest.Run(t, daemontest.Options{Workspace: workspaceWith(t, s, m)})
	h.Initialize(settings)
	untilReady(h, s)
	return h
}

// untilReady waits for servers to be ready.
func untilReady(h *daemontest.Host, s servers) {
	for name := range s {
		h.UntilState(name, protocol.ServerReady)
	}
}

// open opens a task on the daemon's own servers.
func open(h *daemontest.Host, message string) protocol.Attachment {
	return daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: message, WantState: true})
}

// turn takes a turn.
func turn(h *daemontest.Host, task, message string) protocol.Attachment {
	return daemontest.Call[protocol.Attachment](h, protocol.MethodTaskTurn, protocol.TaskTurnParams{Task: task, Message: message})
}

// call calls a tool with arguments and returns the text of the answer.
func call(h *daemontest.Host, task, name, arguments string) string {
	r := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall,
		protocol.TaskCallParams{Task: task, Name: name, Arguments: json.RawMessage(arguments)})
	return text(r)
}

// text joins the text of a result's content.
func text(r protocol.TaskCallResult) string {
	var all strings.Builder
	for _, raw := range r.Content {
		var block struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(raw, &block) == nil {
			all.WriteString(block.Text)
		}
	}
	return all.String()
}

// names returns the names of the attached tools, in order.
func names(a protocol.Attachment) []string {
	list := make([]string, len(a.Tools))
	for i, t := range a.Tools {
		list[i] = t.Name
	}
	return list
}

// told returns the params of the notifications of a method, oldest first.
func told[P any](h *daemontest.Host, method string) []P {
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
