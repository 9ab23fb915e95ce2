package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestCodex reads the servers of a config.toml in each of the ways that TOML has of
// writing them, with Codex's own names, and nothing else of the file.
func TestCodex(t *testing.T) {
	t.Parallel()
	const text = `model = "gpt-5"
mcp_servers.dotted.command = "d"

[mcp_servers.docs]
command = "npx"
args = [
  "-y", # each
  'docs',
]
cwd = "/w"
env_vars = ["PATH"]
startup_timeout_sec = 1_0
tool_timeout_sec = 60
enabled = false
enabled_tools = ["search"]
default_tools_approval_mode = "prompt"

[mcp_servers.docs.env]
KEY = "value"

[mcp_servers.docs.tools.search]
approval_mode = "approve"

[mcp_servers."far away"]
url = "https://x/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { X-A = "1" }
env_http_headers = { "X-B" = "B" }
disabled_tools = ["drop"]
default_tools_approval_mode = "approve"

[mcp_servers.asks]
command = "a"
enabled = true
enabled_tools = ["read", "drop"]
disabled_tools = ["drop"]
default_tools_approval_mode = "approve"
tools.read.approval_mode = "approve"
tools.drop.approval_mode = "prompt"

[mcp_servers.none]
command = "n"
enabled = true
enabled_tools = ["drop"]
disabled_tools = ["drop"]

[[profiles]]
command = "none of ours"

[projects."/w"]
trust_level = "trusted"
`
	f := Parse(Source{Path: "f", Dialect: Codex, Scope: User}, []byte(text))
	if len(f.Problems) > 0 || len(f.Entries) != 5 {
		t.Fatalf("%d entries, problems %v", len(f.Entries), f.Problems)
	}
	yes, no := true, false
	for i, want := range []struct {
		name       string
		line       int
		definition Definition
		policy     Policy
	}{
		{"dotted", 2, Definition{Transport: Stdio, Command: "d"}, Policy{}},
		{"docs", 4, Definition{Transport: Stdio, Command: "npx", Args: []string{"-y", "docs"}, Cwd: "/w", Env: map[string]string{"KEY": "value"}},
			Policy{Disabled: &yes, Timeout: time.Minute, OnlyAllow: []string{"search"}, AlwaysAllow: []string{"search"}}},
		{"far away", 24, Definition{Transport: HTTP, URL: "https://x/mcp", Headers: map[string]string{
			"Authorization": "Bearer ${env:TOKEN}", "X-A": "1", "X-B": "${env:B}",
		}}, Policy{DisabledTools: []string{"drop"}, AlwaysAllow: []string{"*"}}},
		{"asks", 32, Definition{Transport: Stdio, Command: "a"},
			Policy{Disabled: &no, OnlyAllow: []string{"read"}, DisabledTools: []string{"drop"}, AlwaysAllow: []string{"read"}}},
		{"none", 41, Definition{Transport: Stdio, Command: "n"}, Policy{Disabled: &yes, DisabledTools: []string{"drop"}}},
	} {
		e := f.Entries[i]
		if e.Name != want.name || e.Origin.Line != want.line || !reflect.DeepEqual(e.Definition, want.definition) || !reflect.DeepEqual(e.Policy, want.policy) {
			t.Errorf("got %+v\nwant %+v", e, want)
		}
	}
}

// TestCodex_broken: what is no TOML is said with its place, and nothing of the file.
func TestCodex_broken(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{
		"[mcp_servers.a]\ncommand = secret\n": 2,
		"[mcp_servers.a\n":                    1,
		"a = " + strings.Repeat("[", 100_000): 1,
		"[mcp_servers.a]\nargs = [\"x\",\n":   0, // wherever it ends
		"mcp_servers = 1\n":                   1,
		"[mcp_servers.a]\ncommand = 1\n":      2,
	} {
		f := Parse(Source{Path: "f", Dialect: Codex}, []byte(text))
		if len(f.Problems) != 1 || line != 0 && f.Problems[0].Line != line || strings.Contains(f.Problems[0].Message, "secret") {
			t.Errorf("%.40q: got %+v", text, f.Problems)
		}
	}
	if f := Parse(Source{Path: "f", Dialect: Codex}, nil); f.Broken || len(f.Problems) > 0 {
		t.Errorf("an empty file: %+v", f.Problems)
	}
}
