package config

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// TestEdit_Archives applies the operations in the comment, one a line after the
// first, to the section `before`, which is named after its dialect:
//
//	dialect server operation [tool] [value]
func TestEdit_Archives(t *testing.T) {
	t.Parallel()
	eachArchive(t, "edit", func(t *testing.T, comment string, files map[string][]byte) string {
		text := files["before"]
		_, operations, _ := strings.Cut(strings.TrimSpace(comment), "\n")
		var problems string
		for _, line := range strings.Split(operations, "\n") {
			words := strings.Fields(line)
			source := Source{Path: "f", Dialect: Dialect(words[0])}
			changed, err := operation(t, serverIn(source, text, words[1]), words[2:]).Apply(text)
			if err != nil {
				problems += fmt.Sprintf("%s: %v\n", line, err)
				continue
			}
			checkEdit(t, source, text, changed)
			text = changed
		}
		return string(text) + problems
	})
}

func serverIn(source Source, text []byte, name string) Server {
	if s, ok := Merge([]File{Parse(source, text)}, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed}).Server(name); ok {
		return s
	}
	return Server{Name: name, Origin: Origin{Source: source}}
}

func operation(t *testing.T, s Server, words []string) Edit {
	t.Helper()
	words = append(words, "", "")
	switch words[0] {
	case "enable", "disable":
		return SetToolEnabled(s, words[1], words[0] == "enable")
	case "start", "stop":
		return SetServerEnabled(s, words[0] == "start")
	case "load", "defer":
		return SetAlwaysLoad(s, words[1], words[0] == "load")
	case "approve", "ask":
		return SetApproved(s, words[1], words[0] == "approve")
	case "describe":
		return SetDescription(s, words[1], words[2])
	}
	t.Fatalf("unknown operation %q", words[0])
	return Edit{}
}

// checkEdit: an edited file is still good, and as strict as it was.
func checkEdit(t *testing.T, source Source, before, after []byte) {
	t.Helper()
	if f := Parse(source, after); f.Broken {
		t.Errorf("broken by the edit: %v\n%s", f.Problems, after)
	}
	old, _ := jsonc.Parse(jsonc.WithoutBOM(before))
	now, failure := jsonc.Parse(jsonc.WithoutBOM(after))
	if failure != nil {
		t.Fatal(failure.Message)
	}
	if old != nil && old.Root.IsStandard() && !now.Root.IsStandard() {
		t.Errorf("strict JSON became lenient:\n%s", after)
	}
}

// TestEdit_Bytes: byte order mark and line ends survive.
func TestEdit_Bytes(t *testing.T) {
	t.Parallel()
	before := "\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\"\r\n\t\t}\r\n\t}\r\n}\r\n"
	want := "\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\",\r\n\t\t\t\"disabledTools\": [\"t\"]\r\n\t\t}\r\n\t}\r\n}\r\n"
	source := Source{Path: "f", Dialect: Roo}
	got, err := SetToolEnabled(serverIn(source, []byte(before), "a"), "t", false).Apply([]byte(before))
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}

// TestEdit_Nothing: an edit that changes nothing gives the same bytes.
func TestEdit_Nothing(t *testing.T) {
	t.Parallel()
	before := []byte(`{ "servers" : {"a":{"command":"x" , "disabledTools":[ "t" ,],},}, } // end`)
	s := serverIn(Source{Dialect: Winnow}, before, "a")
	for name, e := range map[string]Edit{
		"disable again": SetToolEnabled(s, "t", false), "enable another": SetToolEnabled(s, "u", true),
		"no description": SetDescription(s, "t", ""), "not approved": SetApproved(s, "t", false),
	} {
		if got, err := e.Apply(before); err != nil || !bytes.Equal(got, before) {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

// TestEdit_Place: a change goes where its list is in force.
func TestEdit_Place(t *testing.T) {
	t.Parallel()
	own, other := Source{Path: "own", Dialect: Winnow}, Source{Path: "other", Dialect: Claude}
	layer := func(s Source, p Policy) Entry { return Entry{Name: "a", Origin: Origin{Source: s}, Policy: p} }
	yes := true
	tests := []struct {
		name        string
		own, theirs Policy
		edit        func(Server) Edit
		want        Source
	}{
		{"nowhere yet", Policy{}, Policy{}, func(s Server) Edit { return SetToolEnabled(s, "t", false) }, other},
		{"our onlyAllow", Policy{OnlyAllow: []string{"t"}}, Policy{DisabledTools: []string{"u"}}, func(s Server) Edit { return SetToolEnabled(s, "u", true) }, own},
		{"their onlyAllow", Policy{DisabledTools: []string{"u"}}, Policy{OnlyAllow: []string{"t"}}, func(s Server) Edit { return SetToolEnabled(s, "u", true) }, other},
		{"our disabledTools", Policy{DisabledTools: []string{}}, Policy{DisabledTools: []string{"u"}}, func(s Server) Edit { return SetToolEnabled(s, "u", true) }, own},
		{"our disabled", Policy{Disabled: &yes}, Policy{}, func(s Server) Edit { return SetServerEnabled(s, true) }, own},
		{"their alwaysAllow", Policy{}, Policy{AlwaysAllow: []string{}}, func(s Server) Edit { return SetApproved(s, "t", true) }, other},
		{"our alwaysLoad", Policy{AlwaysLoad: &AlwaysLoad{}}, Policy{}, func(s Server) Edit { return SetAlwaysLoad(s, "t", true) }, own},
		{"our description", Policy{DescriptionOverrides: map[string]string{"t": "x"}}, Policy{}, func(s Server) Edit { return SetDescription(s, "t", "y") }, own},
		{"another description", Policy{DescriptionOverrides: map[string]string{"u": "x"}}, Policy{}, func(s Server) Edit { return SetDescription(s, "t", "y") }, other},
	}
	for _, tt := range tests {
		s := Server{Name: "a", Origin: Origin{Source: other}, Layers: []Entry{layer(own, tt.own), layer(other, tt.theirs)}, Policy: tt.own.over(tt.theirs)}
		if got := tt.edit(s).Source; got != tt.want {
			t.Errorf("%s: goes to %s, want %s", tt.name, got.Path, tt.want.Path)
		}
	}
}

// TestEdit_Project edits what `claude mcp add` keeps for a folder.
func TestEdit_Project(t *testing.T) {
	t.Parallel()
	before := `{"mcpServers": {"a": {"command": "all"}}, "projects": {"C:/w": {"mcpServers": {"a": {"command": "here"}}}}}`
	want := `{"mcpServers": {"a": {"command": "all"}}, "projects": {"C:/w": {"mcpServers": {"a": {"command": "here", "disabled": true}}}}}`
	source := Source{Path: "f", Dialect: Claude, Project: `C:\w`}
	got, err := SetServerEnabled(serverIn(source, []byte(before), "a"), false).Apply([]byte(before))
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	source.Project = "/elsewhere"
	if _, err := SetServerEnabled(Server{Name: "a", Origin: Origin{Source: source}}, false).Apply([]byte(before)); err == nil {
		t.Error("edited a project that is not there")
	}
}

func TestEdit_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"broken file", "{\n  \"mcpServers\": {,", "line 2, column 18"},
		{"entry is gone", `{"mcpServers": {}}`, `"a" is not in the file any more`},
		{"no servers", `{}`, `"mcpServers" is not in the file any more`},
		{"not an object", `[]`, "does not hold an object"},
		{"entry is no object", `{"mcpServers": {"a": 1}}`, `"a" is not an object`},
		{"list is none", `{"mcpServers": {"a": {"disabledTools": 1}}}`, `"disabledTools" is not a list`},
		{"empty", "", "line 1"},
	}
	for _, tt := range tests {
		s := Server{Name: "a", Origin: Origin{Source: Source{Path: "f", Dialect: Roo}}}
		if _, err := SetToolEnabled(s, "t", false).Apply([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}
