package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestEdit_nothingBehind: what is switched and switched back leaves the bytes
// that were there.
func TestEdit_nothingBehind(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"no file":          "",
		"an empty object":  "{}\n",
		"other entries":    "{\n  // ours\n  \"servers\": {\n    \"other\": { \"command\": \"x\" }, // kept\n  },\n}\n",
		"a definition":     "{\n  \"servers\": {\n    \"a\": {\n      \"command\": \"x\" // how it runs\n    }\n  }\n}\n",
		"a minified one":   `{"servers":{"a":{"command":"x"}}}`,
		"rules of its own": "{\n  \"servers\": {\n    \"a\": { \"timeout\": 5 }\n  }\n}\n",
	}
	switches := map[string]func(Server, bool) Edit{
		"a tool":           func(s Server, on bool) Edit { return SetToolEnabled(s, "t", !on) },
		"the server":       func(s Server, on bool) Edit { return SetServerEnabled(s, !on) },
		"always load":      func(s Server, on bool) Edit { return SetAlwaysLoad(s, "t", on) },
		"always load all":  func(s Server, on bool) Edit { return SetAlwaysLoad(s, "", on) },
		"approved":         func(s Server, on bool) Edit { return SetApproved(s, "t", on) },
		"description":      func(s Server, on bool) Edit { return SetDescription(s, "t", map[bool]string{true: "Ours."}[on]) },
		"a tool by a host": func(s Server, on bool) Edit { return SetToolEnabled(s.WithHostNames(hostNames), "mcp_a_t", !on) },
	}
	source := Source{Path: "f", Dialect: Winnow}
	for where, text := range texts {
		for what, change := range switches {
			on, err := change(serverIn(source, []byte(text), "a"), true).Apply([]byte(text))
			if err != nil || !strings.Contains(string(on), `"a"`) {
				t.Errorf("%s, %s, on: %v\n%s", where, what, err, on)
				continue
			}
			checkEdit(t, source, []byte(text), on)
			off, err := change(serverIn(source, on, "a"), false).Apply(on)
			want := text
			if text == "" {
				want = "{}\n"
			}
			if err != nil || string(off) != want {
				t.Errorf("%s, %s, off again: got %v\n%s\nwant\n%s\nit was on by\n%s", where, what, err, off, want, on)
			}
		}
	}
}

// hostNames maps names of a server's tools to those of a host.
var hostNames = map[string]string{"t": "mcp_a_t", "u": "mcp_a_u"}

// TestEdit_weakerFile: a key that says the same as nothing stays where a weaker
// file would say something else without it.
func TestEdit_weakerFile(t *testing.T) {
	t.Parallel()
	const theirs = `{"mcpServers": {"a": {"command": "x", %s}}}`
	tests := []struct {
		name, theirs, ours, want string
		edit                     func(Server) Edit
	}{
		{"disabledTools", `"disabledTools": ["u"]`, `{"disabledTools": ["t"]}`, `{"disabledTools": []}`, func(s Server) Edit { return SetToolEnabled(s, "t", true) }},
		{"disabled", `"disabled": true`, `{"disabled": false}`, `{"disabled": false}`, func(s Server) Edit { return SetServerEnabled(s, true) }},
		{"disabled again", `"disabled": true`, `{"disabled": false, "timeout": 5}`, `{"timeout": 5}`, func(s Server) Edit { return SetServerEnabled(s, false) }},
		{"alwaysLoad", `"alwaysLoad": true`, `{"alwaysLoad": ["t"]}`, `{"alwaysLoad": []}`, func(s Server) Edit { return SetAlwaysLoad(s, "t", false) }},
		{"alwaysLoad of all", `"alwaysLoad": ["t"]`, `{"alwaysLoad": true}`, `{"alwaysLoad": false}`, func(s Server) Edit { return SetAlwaysLoad(s, "", false) }},
		{"alwaysAllow", `"alwaysAllow": ["u"]`, `{"alwaysAllow": ["t"]}`, `{"alwaysAllow": []}`, func(s Server) Edit { return SetApproved(s, "t", false) }},
	}
	own, other := Source{Path: "own", Dialect: Winnow}, Source{Path: "other", Dialect: Cursor}
	for _, tt := range tests {
		before := `{"servers": {"a": ` + tt.ours + `}}`
		files := []File{Parse(own, []byte(before)), Parse(other, []byte(strings.Replace(theirs, "%s", tt.theirs, 1)))}
		s, ok := Merge(files, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed}).Server("a")
		if !ok {
			t.Fatalf("%s: there is no server", tt.name)
		}
		edit := tt.edit(s)
		if edit.Source != own {
			t.Errorf("%s: goes to %s", tt.name, edit.Source.Path)
		}
		got, err := edit.Apply([]byte(before))
		if want := `{"servers": {"a": ` + tt.want + `}}`; err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v\nwant %s", tt.name, got, err, want)
		}
	}
}

// TestEdit_hostNames: the server's own name is written, and a file that has the
// host's is understood.
func TestEdit_hostNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, want string
		edit               func(Server) Edit
	}{
		{"off", `{}`, `{"disabledTools": ["t"]}`, func(s Server) Edit { return SetToolEnabled(s, "mcp_a_t", false) }},
		{"off by its own name", `{}`, `{"disabledTools": ["t"]}`, func(s Server) Edit { return SetToolEnabled(s, "t", false) }},
		{"off already", `{"disabledTools": ["mcp_a_t"]}`, `{"disabledTools": ["mcp_a_t"]}`, func(s Server) Edit { return SetToolEnabled(s, "mcp_a_t", false) }},
		{"on, whatever it is called", `{"disabledTools": ["t", "mcp_a_u", "mcp_a_t"]}`, `{"disabledTools": ["mcp_a_u"]}`, func(s Server) Edit { return SetToolEnabled(s, "mcp_a_t", true) }},
		{"the only one", `{"onlyAllow": ["t", "mcp_a_t"]}`, "", func(s Server) Edit { return SetToolEnabled(s, "mcp_a_t", false) }},
		{"one of a few", `{"onlyAllow": ["mcp_a_t", "u"]}`, `{"onlyAllow": ["u"]}`, func(s Server) Edit { return SetToolEnabled(s, "mcp_a_t", false) }},
		{"described", `{"toolDescriptionOverrides": {"mcp_a_t": "Old."}}`, `{"toolDescriptionOverrides": {"t": "New."}}`, func(s Server) Edit { return SetDescription(s, "mcp_a_t", "New.") }},
		{"unknown to the host", `{}`, `{"disabledTools": ["v"]}`, func(s Server) Edit { return SetToolEnabled(s, "v", false) }},
	}
	source := Source{Path: "f", Dialect: Winnow}
	for _, tt := range tests {
		before := `{"servers": {"a": ` + tt.before + `}}`
		s, ok := Merge([]File{Parse(source, []byte(before))}, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed}).Policy("a")
		if !ok {
			t.Fatalf("%s: there is no entry", tt.name)
		}
		got, err := tt.edit(s.WithHostNames(hostNames)).Apply([]byte(before))
		want := `{"servers": {"a": ` + tt.want + `}}`
		if tt.want == "" && (err == nil || !strings.Contains(err.Error(), `"t" is the last tool`)) || tt.want != "" && (err != nil || string(got) != want) {
			t.Errorf("%s: got %s, %v\nwant %s", tt.name, got, err, want)
		}
	}
}

// TestEdit_strictClient: Kilo Code refuses its whole configuration over a key
// that it does not know, so a rule for a server of it goes to Winnow's file.
func TestEdit_strictClient(t *testing.T) {
	t.Parallel()
	for scope, want := range map[Scope]string{Workspace: filepath.FromSlash("/w/.vscode/winnow.json"), User: "an entry \"a\" of your winnow.json"} {
		source := Source{Path: "/w/kilo.json", Dialect: KiloConfig, Scope: scope, Folder: "/w"}
		s := serverIn(source, []byte(`{"mcp": {"a": {"type": "local", "command": ["x"]}}}`), "a")
		edit := SetToolEnabled(s, "t", false)
		text, err := edit.Apply(nil)
		if scope == User {
			if _, err := edit.Apply([]byte(`{"mcp": {"a": {}}}`)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the user's: got %v, want %q", err, want)
			}
			continue
		}
		if err != nil || edit.Source.Path != want || !strings.Contains(string(text), `"disabledTools": ["t"]`) {
			t.Errorf("a folder's: got %s with %q, %v; want %s with the rule", edit.Source.Path, text, err, want)
		}
	}
}

// TestEdit_withheld: what nobody agreed to does not keep a yes from being given or
// taken back.
func TestEdit_withheld(t *testing.T) {
	t.Parallel()
	run := Definition{Transport: Stdio, Command: "x"}
	withheld := Policy{AlwaysAllow: []string{"t"}, AlwaysLoad: &AlwaysLoad{Tools: []string{"t"}}, DescriptionOverrides: map[string]string{"t": "evil"}}
	files := []File{
		entry("s", Workspace, Winnow, "w", withheld, Definition{}),
		entry("s", User, Winnow, "u", Policy{AlwaysAllow: []string{"*"}}, run),
	}
	s, _ := Merge(files, MergeOptions{Trusted: true, Consent: agreed}).Server("s")
	if len(s.Withheld) != 1 {
		t.Fatalf("withheld are %+v", s.Withheld)
	}
	for name, edit := range map[string]Edit{
		"alwaysAllow": SetApproved(s, "*", false), "alwaysLoad": SetAlwaysLoad(s, "t", false), "a description": SetDescription(s, "t", ""),
	} {
		if edit.Source.Path != "u" {
			t.Errorf("%s: goes to %s", name, edit.Source.Path)
		}
	}
}
