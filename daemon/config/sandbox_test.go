package config

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestSandbox: what an entry says of its sandbox is read as it is meant, or the
// server does not start.
func TestSandbox(t *testing.T) {
	t.Parallel()
	source := Source{Path: "/w1/.vscode/winnow.json", Dialect: Winnow, Scope: Workspace, Folder: "/w1"}
	for _, tt := range []struct {
		text string
		want *protocol.SandboxEntry
		// problem is in the error for which the server does not start.
		problem string
	}{
		{`true`, &protocol.SandboxEntry{}, ""},
		{`false`, nil, ""},
		{`null`, nil, ""},
		{`{}`, &protocol.SandboxEntry{}, ""},
		{`{"network": true, "memoryMB": 512, "processes": 20}`, &protocol.SandboxEntry{Network: true, MemoryMB: 512, Processes: 20}, ""},
		{
			`{"read": ["${userHome}/.nvm", "lib/"], "write": ["${workspaceFolder}", "/abs/../x"]}`,
			&protocol.SandboxEntry{Read: []string{"/home/me/.nvm", "/w1/lib"}, Write: []string{"/w1", "/x"}}, "",
		},
		{`"yes"`, nil, `"sandbox" of server "s" must be true, false or an object`},
		{`{"network": "no"}`, nil, `"sandbox.network" of server "s" must be true or false`},
		{`{"wrte": []}`, nil, `did you mean "write"?`},
		{`{"read": "/x"}`, nil, "must be a list of strings"},
		{`{"memoryMB": 1}`, nil, "from 16 to 1048576"},
		{`{"processes": 1.5}`, nil, "a whole number from 1 to 1000000"},
	} {
		file := Parse(source, []byte(`{"servers": {"s": {"command": "x", "sandbox": `+tt.text+`}}}`))
		e := file.Entries[0]
		if tt.problem != "" {
			if e.Invalid == nil || !strings.Contains(e.Invalid.String(), tt.problem) {
				t.Errorf("%s: got %v, want %q", tt.text, e.Invalid, tt.problem)
			}
			continue
		}
		got := Expand(Server{Name: e.Name, Origin: e.Origin, Definition: e.Definition}, lookup()).Definition.Sandbox
		if e.Invalid != nil || len(file.Problems) != 0 || !same(got, tt.want) {
			t.Errorf("%s: got %+v, %v; want %+v", tt.text, got, file.Problems, tt.want)
		}
	}
}

// same compares what is in them: a list that is not there is an empty one.
func same(a, b *protocol.SandboxEntry) bool {
	return (a == nil) == (b == nil) && encoded(a) == encoded(b)
}

// TestSandbox_foreign: a sandbox that another client's file asks for is none of
// Winnow's, which says so.
func TestSandbox_foreign(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sandbox", "sandboxEnabled"} {
		file := Parse(Source{Path: "/w1/.vscode/mcp.json", Dialect: VSCode}, []byte(`{"servers": {"s": {"command": "x", "`+key+`": true}}}`))
		if e := file.Entries[0]; e.Invalid != nil || e.Definition.Sandbox != nil {
			t.Errorf("%s: got %+v, %v", key, e.Definition.Sandbox, e.Invalid)
		}
		if len(file.Problems) != 1 || !strings.Contains(file.Problems[0].String(), "without a sandbox") {
			t.Errorf("%s: the user is told %v", key, file.Problems)
		}
	}
}

// TestSandbox_misspelt: a server that was to run in a sandbox does not run
// without because its key is mistyped, or another client's.
func TestSandbox_misspelt(t *testing.T) {
	t.Parallel()
	source := Source{Path: "/w1/.vscode/winnow.json", Dialect: Winnow}
	for key, want := range map[string]string{
		"sandBox": `did you mean "sandbox"?`, "sandox": `did you mean "sandbox"?`, "sandboxed": `did you mean "sandbox"?`,
		"sandboxEnabled": `Winnow's name for it is "sandbox"`, "sand": "",
	} {
		file := Parse(source, []byte(`{"servers": {"s": {"command": "x", "`+key+`": true}}}`))
		invalid := file.Entries[0].Invalid
		if (invalid != nil) != (want != "") || invalid != nil && !strings.Contains(invalid.String(), want) {
			t.Errorf("%s: got %v, want %q", key, invalid, want)
		}
		if len(file.Problems) != 1 {
			t.Errorf("%s: the user is told %v", key, file.Problems)
		}
	}
}

// TestSandbox_paths: a path that starts at nothing known stays as it is, and the
// user is told why.
func TestSandbox_paths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect        Dialect
		folder, path   string
		want, reported string
	}{
		{Winnow, "/w1", "lib", "/w1/lib", ""},
		{Winnow, "", "lib/", "lib/", "none is open"},
		{Winnow, "", "/abs/../x", "/x", ""},
		{Winnow, "/w1", "${env:NOPE}/x", "${env:NOPE}/x", "has no value"},
		{KiloConfig, "/w1", "{file:x}/y", "{file:x}/y", "is not replaced"},
	} {
		s := Server{Name: "s", Origin: Origin{Source: Source{Dialect: tt.dialect, Folder: tt.folder}}, Definition: Definition{
			Sandbox: &protocol.SandboxEntry{Read: []string{tt.path}},
		}}
		got := Expand(s, Lookup{})
		if got.Definition.Sandbox.Read[0] != tt.want {
			t.Errorf("%s: got %q, want %q", tt.path, got.Definition.Sandbox.Read[0], tt.want)
		}
		if reported := len(got.Problems) == 1 && strings.Contains(got.Problems[0].Message, tt.reported); reported != (tt.reported != "") {
			t.Errorf("%s: the user is told %v, want %q", tt.path, got.Problems, tt.reported)
		}
	}
}
