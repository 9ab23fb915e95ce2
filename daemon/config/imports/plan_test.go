package imports

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/protocol"
)

const mcpJSON = `{
  // Ours.
  "servers": {
    // Reads and writes files.
    "files": {
      "type": "stdio", // a program
      "command": "npx",
      "args": ["-y", "files"],
    },
    "github": {
      "type": "http",
      "url": "https://example.com/mcp",
      "headers": { "Authorization": "Bearer ${input:token}" },
      "sandboxEnabled": true,
    },
    "stays": { "command": "stay" },
  },
  "inputs": [
    { "type": "promptString", "id": "token", "description": "The token", "password": true },
    { "type": "promptString", "id": "other", "description": "Another" },
  ],
}
`

var vscode = Source{Path: "/w/.vscode/mcp.json", Dialect: config.VSCode, Target: "/w/.vscode/winnow.json"}

// text is a file's text.
func text(s string) *string { return &s }

// noFile stands for a file that is not there.
var noFile *string

// must plans a move that is possible.
func must(t *testing.T, r Request) Plan {
	t.Helper()
	p, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func plan(t *testing.T, own *string, servers ...string) Plan {
	t.Helper()
	return must(t, Request{Source: vscode, Text: mcpJSON, Own: own, Servers: servers})
}

// names lists the servers of a text.
func names(t *testing.T, source Source, s *string) []string {
	t.Helper()
	list := []string{}
	if s == nil {
		return list
	}
	for _, server := range Servers(source, *s, nil) {
		list = append(list, server.Name)
	}
	return list
}

// checkText compares a text with what it should be.
func checkText(t *testing.T, what string, got *string, want string) {
	t.Helper()
	switch {
	case got == nil:
		t.Errorf("%s: there is no file, want\n%s", what, want)
	case *got != want:
		t.Errorf("%s: got\n%s\nwant\n%s", what, *got, want)
	}
}

// checkNotes compares notes without their files.
func checkNotes(t *testing.T, got []protocol.ImportNote, want ...protocol.ImportNote) {
	t.Helper()
	got = slices.Clone(got)
	for i := range got {
		if got[i].Path == "" {
			t.Errorf("a note names no file: %+v", got[i])
		}
		got[i].Path = ""
	}
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("notes: got %+v, want %+v", got, want)
	}
}

// TestNew: entries move with their comments, and with the inputs they ask for.
func TestNew(t *testing.T) {
	t.Parallel()
	p := plan(t, noFile, "files", "github")
	checkText(t, "Winnow's file", p.Target.After, `{
  "servers": {
    // Reads and writes files.
    "files": {
      "type": "stdio", // a program
      "command": "npx",
      "args": ["-y", "files"],
    },
    "github": {
      "type": "http",
      "url": "https://example.com/mcp",
      "headers": { "Authorization": "Bearer ${input:token}" },
    }
  },
  "inputs": [
    { "type": "promptString", "id": "token", "description": "The token", "password": true }
  ]
}
`)
	checkText(t, "VS Code's file", p.Source.After, `{
  // Ours.
  "servers": {
    "stays": { "command": "stay" },
  },
  "inputs": [
    { "type": "promptString", "id": "token", "description": "The token", "password": true },
    { "type": "promptString", "id": "other", "description": "Another" },
  ],
}
`)
	checkNotes(t, p.Notes, protocol.ImportNote{Kind: protocol.NoteKeysLeftOut, Server: "github", Keys: []string{"sandboxEnabled"}})
	if p.Target.Before != nil || *p.Source.Before != mcpJSON {
		t.Error("the texts before the move are not those that were given")
	}
	if !slices.Equal(p.Inputs, []string{"token"}) {
		t.Errorf("inputs: got %q", p.Inputs)
	}
}

// TestNew_into: where entries go in a file that has something already.
func TestNew_into(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, own, want string
		moved           []string
		notes           []protocol.ImportNote
	}{
		{
			name:  "a server of the same name is not moved",
			own:   "{\n  \"servers\": {\n    \"files\": { \"command\": \"mine\" } // keep me\n  }\n}\n",
			moved: []string{"stays"},
			want:  "{\n  \"servers\": {\n    \"files\": { \"command\": \"mine\" }, // keep me\n    \"stays\": { \"command\": \"stay\" }\n  }\n}\n",
			notes: []protocol.ImportNote{{Kind: protocol.NoteTaken, Server: "files"}},
		},
		{
			name:  "an entry that cannot be used is the user's to correct",
			own:   `{"servers": {"files": {"command": 5}}}`,
			moved: []string{"stays"},
			want:  `{"servers": {"files": {"command": 5}, "stays": { "command": "stay" }}}`,
			notes: []protocol.ImportNote{{Kind: protocol.NoteTaken, Server: "files"}},
		},
		{
			name:  "one that has rules already joins them",
			own:   "{\n  \"servers\": {\n    \"stays\": {\n      // not these\n      \"disabledTools\": [\"rm\"]\n    }\n  }\n}\n",
			moved: []string{"stays"},
			want:  "{\n  \"servers\": {\n    \"stays\": {\n      // not these\n      \"disabledTools\": [\"rm\"],\n      \"command\": \"stay\"\n    }\n  }\n}\n",
			notes: []protocol.ImportNote{{Kind: protocol.NoteMerged, Server: "stays"}},
		},
		{
			name:  "rules on one line",
			own:   "{\n  \"servers\": {\n    \"github\": { \"disabledTools\": [\"rm\"] } // ours\n  }\n}\n",
			moved: []string{"github"},
			want: "{\n  \"servers\": {\n    \"github\": {\n      \"disabledTools\": [\"rm\"],\n      \"type\": \"http\",\n      \"url\": \"https://example.com/mcp\",\n" +
				"      \"headers\": { \"Authorization\": \"Bearer ${input:token}\" }\n    } // ours\n  },\n  \"inputs\": [\n" +
				"    { \"type\": \"promptString\", \"id\": \"token\", \"description\": \"The token\", \"password\": true }\n  ]\n}\n",
			notes: []protocol.ImportNote{
				{Kind: protocol.NoteKeysLeftOut, Server: "github", Keys: []string{"sandboxEnabled"}},
				{Kind: protocol.NoteMerged, Server: "github"},
			},
		},
		{
			name:  "a blank file",
			own:   "\n",
			moved: []string{"stays"},
			want:  "{\n  \"servers\": {\n    \"stays\": { \"command\": \"stay\" }\n  }\n}\n",
		},
		{
			name:  "tabs, Windows' line ends and a byte order mark stay",
			own:   "\ufeff{\r\n\t\"modes\": {},\r\n\t\"servers\": {}\r\n}\r\n",
			moved: []string{"stays"},
			want:  "\ufeff{\r\n\t\"modes\": {},\r\n\t\"servers\": {\r\n\t\t\"stays\": { \"command\": \"stay\" }\r\n\t}\r\n}\r\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := slices.Clone(tt.moved)
			if len(tt.notes) > 0 && tt.notes[0].Kind == protocol.NoteTaken {
				asked = append([]string{tt.notes[0].Server}, asked...)
			}
			p := plan(t, &tt.own, asked...)
			checkText(t, "Winnow's file", p.Target.After, tt.want)
			checkNotes(t, p.Notes, tt.notes...)
			var moved []string
			for _, s := range p.Servers {
				moved = append(moved, s.Name)
			}
			if !slices.Equal(moved, tt.moved) {
				t.Errorf("moved: got %q, want %q", moved, tt.moved)
			}
			undone(t, p)
		})
	}
}

// undone checks that undoing a move at once gives both files their bytes back.
func undone(t *testing.T, p Plan) {
	t.Helper()
	source, target, notes, err := Undo(p, p.Source.After, p.Target.After)
	if err != nil || len(notes) > 0 {
		t.Errorf("undo: %v, notes %+v", err, notes)
	}
	if !reflect.DeepEqual(source.After, p.Source.Before) || !reflect.DeepEqual(target.After, p.Target.Before) {
		t.Errorf("undone: source %q, target %q", textOf(source.After), textOf(target.After))
	}
}

// TestNew_merge: what Winnow's file says wins, as it did while the definition
// was in a weaker file.
func TestNew_merge(t *testing.T) {
	t.Parallel()
	theirs := `{"mcpServers": {"a": {"command": "x", "disabled": true, "disabledTools": ["t"], "alwaysLoad": true,
		"toolDescriptionOverrides": {"t": "Theirs.", "u": "Theirs."}}}}`
	ours := `{"servers": {"a": {"disabledTools": ["u"], "deferTools": "auto", "toolDescriptionOverrides": {"t": "Ours."}, "disabled": null}}}`
	source := Source{Path: "/w/.mcp.json", Dialect: config.Claude, Target: "/w/.vscode/winnow.json"}
	before := merged(t, config.Source{Dialect: config.Winnow}, ours, config.Source{Dialect: config.Claude}, theirs)
	p := must(t, Request{Source: source, Text: theirs, Own: &ours, Servers: []string{"a"}})
	after := merged(t, config.Source{Dialect: config.Winnow}, *p.Target.After, config.Source{Dialect: config.Claude}, *p.Source.After)
	if !reflect.DeepEqual(before.Policy, after.Policy) || !reflect.DeepEqual(before.Definition, after.Definition) {
		t.Errorf("before the move %+v %+v, after it %+v %+v", before.Definition, before.Policy, after.Definition, after.Policy)
	}
	undone(t, p)

	// Something else changed since: what the user wrote stays, what the move wrote goes.
	now := strings.Replace(*p.Target.After, `["u"]`, `["u", "v"]`, 1)
	_, target, _, err := Undo(p, p.Source.After, &now)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"servers": {"a": {"disabledTools": ["u", "v"], "deferTools": "auto", "toolDescriptionOverrides": {"t": "Ours."}}}}`
	checkText(t, "undone", target.After, want)
}

func agreed(config.Entry) config.Consent { return config.Allowed }

// merged is what two files say about server a.
func merged(t *testing.T, first config.Source, ours string, second config.Source, theirs string) config.Server {
	t.Helper()
	first.Path, second.Path = "first", "second"
	c := config.Merge([]config.File{config.Parse(first, []byte(ours)), config.Parse(second, []byte(theirs))}, config.MergeOptions{
		Trusted: true, Consent: agreed, Rules: agreed,
	})
	s, ok := c.Server("a")
	if !ok {
		t.Fatalf("there is no server in %s and %s", ours, theirs)
	}
	return s
}

// TestNew_timeout: Claude Code counts milliseconds, from 1000 on.
func TestNew_timeout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect config.Dialect
		in, out string
	}{
		{config.Claude, "30000", "30"}, {config.Claude, "1500", "1.5"}, {config.Claude, "30", "30"}, {config.Cursor, "3000", "3000"},
	} {
		source := Source{Path: "/f", Dialect: tt.dialect, Target: "/own"}
		p := must(t, Request{Source: source, Text: `{"mcpServers":{"a":{"command":"x","timeout":` + tt.in + `}}}`, Servers: []string{"a"}})
		checkText(t, string(tt.dialect)+" "+tt.in, p.Target.After, "{\n  \"servers\": {\n    \"a\": {\"command\":\"x\",\"timeout\":"+tt.out+"}\n  }\n}\n")
	}
}

// TestNew_spelling: what only one client writes so is written as Winnow has it.
func TestNew_spelling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect config.Dialect
		in, out string
	}{
		{config.Copilot, `{"type":"local","command":"x"}`, `{"type":"stdio","command":"x"}`},
		{config.Cline, `{"disabled":true,"transport":{"type":"streamableHttp","url":"https://x"}}`, `{"disabled":true,"type": "streamableHttp","url": "https://x"}`},
		{config.Cline, `{"command":"x","autoApprove":["read"]}`, `{"command":"x","alwaysAllow": ["read"]}`},
		{config.Roo, `{"command":"x","autoApprove":["read"]}`, `{"command":"x"}`}, // none of Roo Code's
	} {
		source := Source{Path: "/f", Dialect: tt.dialect, Target: "/own"}
		p := must(t, Request{Source: source, Text: `{"mcpServers":{"a":` + tt.in + `}}`, Servers: []string{"a"}})
		checkText(t, string(tt.dialect)+" "+tt.in, p.Target.After, "{\n  \"servers\": {\n    \"a\": "+tt.out+"\n  }\n}\n")
		undone(t, p)
	}
}

// TestNew_claudeUnasked: what the user's own settings of Claude Code let run without
// a question runs so here; what a folder's say takes back only.
func TestNew_claudeUnasked(t *testing.T) {
	t.Parallel()
	settings := func(allow, ask, deny string) string {
		return `{"permissions":{"allow":[` + allow + `],"ask":[` + ask + `],"deny":[` + deny + `]}}`
	}
	for name, tt := range map[string]struct {
		user, folder, want string
	}{
		"tools":             {settings(`"mcp__a_b__read","Bash(ls)","mcp__a_bc__read","mcp__a_b__read"`, "", ""), "", `, "alwaysAllow": ["read"]`},
		"the server":        {settings(`"mcp__a_b"`, "", ""), "", `, "alwaysAllow": ["*"]`},
		"all its tools":     {settings(`"mcp__a_b__*"`, "", ""), "", `, "alwaysAllow": ["*"]`},
		"all but one":       {settings(`"mcp__a_b","mcp__a_b__read"`, "", `"mcp__a_b__drop"`), "", `, "alwaysAllow": ["read"]`},
		"the folder allows": {settings("", "", ""), settings(`"mcp__a_b__drop"`, "", ""), ""},
		"the folder asks":   {settings(`"mcp__a_b__drop","mcp__a_b__read"`, "", ""), settings("", `"mcp__a_b__drop"`, ""), `, "alwaysAllow": ["read"]`},
		"the folder denies": {settings(`"mcp__a_b__drop"`, "", ""), settings("", "", `"mcp__a_b"`), ""},
		"broken":            {"{", "[]", ""},
	} {
		r := Request{
			Source: Source{Path: "/f", Dialect: config.Claude, Target: "/own"}, Text: `{"mcpServers":{"a b":{"command":"x"}}}`, Servers: []string{"a b"},
			Claude: ClaudeSettings{User: tt.user, Workspace: []string{tt.folder}},
		}
		p := must(t, r)
		checkText(t, name, p.Target.After, "{\n  \"servers\": {\n    \"a b\": {\"command\":\"x\""+tt.want+"}\n  }\n}\n")
		if got := len(p.Allowed("a b")) > 0; got != (tt.want != "") {
			t.Errorf("%s: ran unasked: %v", name, got)
		}
		undone(t, p)
		r.Source.Dialect = config.Cursor
		checkText(t, name+", of Cursor", must(t, r).Target.After, "{\n  \"servers\": {\n    \"a b\": {\"command\":\"x\"}\n  }\n}\n")
	}
}

// TestNew_sandbox: what another client means by a sandbox does not become
// Winnow's; the user is told.
func TestNew_sandbox(t *testing.T) {
	t.Parallel()
	for _, dialect := range []config.Dialect{config.VSCode, config.Claude, config.Cursor, config.Cline} {
		source := Source{Path: "/f", Dialect: dialect, Target: "/own"}
		p := must(t, Request{
			Source: source, Text: `{"` + dialect.ServersKey() + `":{"a":{"command":"x","sandbox":{"network":{"allowed":["h"]}}}}}`, Servers: []string{"a"},
		})
		checkText(t, string(dialect), p.Target.After, "{\n  \"servers\": {\n    \"a\": {\"command\":\"x\"}\n  }\n}\n")
		checkNotes(t, p.Notes, protocol.ImportNote{Kind: protocol.NoteKeysLeftOut, Server: "a", Keys: []string{"sandbox"}})
		undone(t, p)
	}
}

// TestNew_broken: nothing is moved out of a broken file, nor into one.
func TestNew_broken(t *testing.T) {
	t.Parallel()
	if got := Servers(vscode, "{ broken", nil); len(got) > 0 {
		t.Errorf("a broken file has servers: %+v", got)
	}
	for _, tt := range []struct{ name, text, own, want string }{
		{"source", "{ broken", "{}", "/w/.vscode/mcp.json:1:3: "},
		{"target", mcpJSON, "{\n  \"servers\": [}", "/w/.vscode/winnow.json:2:15: "},
		{"no object", mcpJSON, "[]", "/w/.vscode/winnow.json: the file does not hold an object"},
		{"no servers", mcpJSON, `{"servers": 5}`, `move "files" from /w/.vscode/mcp.json: "servers" is not an object`},
	} {
		_, err := New(Request{Source: vscode, Text: tt.text, Own: &tt.own, Servers: []string{"files"}})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if p := must(t, Request{Source: vscode, Text: "", Servers: []string{"files"}}); len(p.Servers) > 0 {
		t.Errorf("moved out of an empty file: %+v", p.Servers)
	}
}

// TestUndo_afterChanges: what else was changed since stays.
func TestUndo_afterChanges(t *testing.T) {
	t.Parallel()
	p := plan(t, text(`{ "modes": {} }`), "files", "github")
	sourceNow := strings.Replace(*p.Source.After, `"stays"`, `"renamed"`, 1)
	targetNow := strings.Replace(*p.Target.After, `"modes": {}`, `"modes": { "review": {} }`, 1)
	source, target, notes, err := Undo(p, &sourceNow, &targetNow)
	if err != nil {
		t.Fatal(err)
	}
	got := names(t, vscode, source.After)
	slices.Sort(got)
	if !slices.Equal(got, []string{"files", "github", "renamed"}) {
		t.Errorf("servers that are back: got %q", got)
	}
	for _, want := range []string{"// a program", `"sandboxEnabled": true`, "// Reads and writes files."} {
		if !strings.Contains(*source.After, want) {
			t.Errorf("%s is not back:\n%s", want, *source.After)
		}
	}
	checkText(t, "Winnow's file", target.After, `{ "modes": { "review": {} } }`)
	checkNotes(t, notes, protocol.ImportNote{Kind: protocol.NoteChangedSince})
}

// TestUndo_parts: each part that may have changed.
func TestUndo_parts(t *testing.T) {
	t.Parallel()
	p := plan(t, noFile, "files", "github")
	switchedOff := strings.Replace(*p.Target.After, `"url":`, `"disabledTools": ["rm"], "url":`, 1)
	again := strings.Replace(*p.Source.After, `"stays"`, `"files"`, 1)
	tests := []struct {
		name           string
		source, target *string
		servers        []string
		want           *string
		notes          []protocol.ImportNote
	}{
		{"nothing", p.Source.After, p.Target.After, []string{"files", "github", "stays"}, nil, nil},
		{"both files are gone", nil, nil, []string{"files", "github", "stays"}, nil, nil},
		{"a tool was switched off since", p.Source.After, &switchedOff, []string{"files", "github", "stays"},
			text("{\n  \"servers\": {\n    \"github\": {\n      \"disabledTools\": [\"rm\"],\n    }\n  }\n}\n"),
			[]protocol.ImportNote{{Kind: protocol.NoteChangedSince}}},
		{"a server is there again", &again, p.Target.After, []string{"files", "github"}, nil,
			[]protocol.ImportNote{{Kind: protocol.NoteThereAgain, Server: "files"}}},
		{"a blank file", text(" "), p.Target.After, []string{"files", "github"}, nil, nil},
	}
	for _, tt := range tests {
		source, target, notes, err := Undo(p, tt.source, tt.target)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := names(t, vscode, source.After); !slices.Equal(got, tt.servers) {
			t.Errorf("%s: servers %q, want %q", tt.name, got, tt.servers)
		}
		if !reflect.DeepEqual(target.After, tt.want) {
			t.Errorf("%s: Winnow's file is\n%s\nwant\n%s", tt.name, textOf(target.After), textOf(tt.want))
		}
		checkNotes(t, notes, tt.notes...)
	}
	if _, _, _, err := Undo(p, text("{ broken"), p.Target.After); err == nil || !strings.Contains(err.Error(), "mcp.json:1:3") {
		t.Errorf("a broken file: got %v", err)
	}
}

// TestServers says what becomes of each server.
func TestServers(t *testing.T) {
	t.Parallel()
	got := Servers(vscode, mcpJSON, text(`{"servers": {"files": {"command": "x"}, "github": {"disabledTools": ["t"]}}}`))
	want := []protocol.ImportServer{
		{Name: "files", State: protocol.ImportTaken}, {Name: "github", State: protocol.ImportMerges}, {Name: "stays", State: protocol.ImportNew},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestNew_unusable: an entry with something wrong stays where it is, and does
// not stop the others.
func TestNew_unusable(t *testing.T) {
	t.Parallel()
	const file = `{"servers": {"none": {}, "number": 5, "args": {"command": "x", "args": "y"}, "good": {"command": "x"}}}`
	listed := Servers(vscode, file, nil)
	var names []string
	for _, s := range listed {
		names = append(names, s.Name)
		if want := s.Name != "good"; (s.State == protocol.ImportUnusable) != want || (s.Problem != "") != want {
			t.Errorf("listed %+v", s)
		}
	}
	p := must(t, Request{Source: vscode, Text: file, Servers: names})
	checkText(t, "VS Code's file", p.Source.After, `{"servers": {"none": {}, "number": 5, "args": {"command": "x", "args": "y"}}}`)
	if len(p.Servers) != 1 || len(p.Notes) != 3 || p.Notes[1].Kind != protocol.NoteUnusable || p.Notes[1].Problem != listed[1].Problem {
		t.Errorf("moved %+v with notes %+v", p.Servers, p.Notes)
	}
	undone(t, p)
}

// TestSources: every client's file, in each folder and the user's own, with
// Winnow's file beside it.
func TestSources(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range Sources(config.Options{
		Folders: []string{"/one", "/two"}, UserDir: "/config/winnow", Home: "/home", GlobalStorageDirs: []string{"/User/globalStorage"},
	}) {
		got = append(got, strings.Join([]string{s.Dialect.Client(), filepath.ToSlash(s.Path), filepath.ToSlash(s.Target)}, " "))
	}
	folder := func(dir string) []string {
		own := " " + dir + "/.vscode/winnow.json"
		return []string{
			"VS Code " + dir + "/.vscode/mcp.json" + own, "Claude Code " + dir + "/.mcp.json" + own, "Roo Code " + dir + "/.roo/mcp.json" + own,
			"Zoo Code " + dir + "/.zoo/mcp.json" + own, "Cursor " + dir + "/.cursor/mcp.json" + own,
			"GitHub Copilot CLI " + dir + "/.github/mcp.json" + own,
			"Kilo Code " + dir + "/.kilocode/mcp.json" + own, "Kilo Code " + dir + "/.kilo/mcp.json" + own,
		}
	}
	const user = " /config/winnow/winnow.json"
	want := slices.Concat(folder("/one"), folder("/two"), []string{
		"VS Code /User/mcp.json" + user,
		"Roo Code /User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json" + user,
		"Zoo Code /User/globalStorage/zoocodeorganization.zoo-code/settings/mcp_settings.json" + user,
		"Kilo Code /User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json" + user,
		"Claude Code /home/.claude.json" + user,
		"Cursor /home/.cursor/mcp.json" + user,
		"GitHub Copilot CLI /home/.copilot/mcp-config.json" + user,
		"Cline /home/.cline/data/settings/cline_mcp_settings.json" + user,
		"Cline /User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json" + user,
	})
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestNew_claudeUser: servers leave the user's own file, and all else of it stays.
func TestNew_claudeUser(t *testing.T) {
	t.Parallel()
	before := `{
  "numStartups": 7,
  "mcpServers": { "a": { "type": "stdio", "command": "a", "timeout": 30000 } },
  "projects": { "/work": { "allowedTools": [] } }
}
`
	source := Source{Path: "/home/.claude.json", Dialect: config.Claude, Target: "/config/winnow/winnow.json"}
	p := must(t, Request{Source: source, Text: before, Servers: []string{"a"}})
	checkText(t, "Claude Code's file", p.Source.After, `{
  "numStartups": 7,
  "mcpServers": {},
  "projects": { "/work": { "allowedTools": [] } }
}
`)
	checkText(t, "Winnow's file", p.Target.After, "{\n  \"servers\": {\n    \"a\": { \"type\": \"stdio\", \"command\": \"a\", \"timeout\": 30 }\n  }\n}\n")
	undone(t, p)
}
