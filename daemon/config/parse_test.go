package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestParse_Archives reads each section of testdata/parse as the dialect that
// its name starts with: winnow/broken.json is a Winnow file.
func TestParse_Archives(t *testing.T) {
	t.Parallel()
	eachArchive(t, "parse", func(_ *testing.T, _ string, files map[string][]byte) string {
		var d dumper
		for _, name := range sortedKeys(files) {
			dialect, _, _ := strings.Cut(name, "/")
			d.line("== %s", name)
			d.file(Parse(Source{Path: name, Dialect: Dialect(dialect)}, files[name]))
		}
		return d.String()
	})
}

func sortedKeys(files map[string][]byte) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	return sorted(names)
}

func TestParse_Unreadable(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 200_000)
	tests := []struct {
		name    string
		dialect Dialect
		data    string
		want    string // what the problem must contain
	}{
		{"empty", Winnow, "", "empty"},
		{"only blanks", Claude, " \n\t", "empty"},
		{"only a byte order mark", Roo, "\ufeff", "empty"},
		{"UTF-16", VSCode, "\xff\xfe{\x00}\x00", "UTF-16"},
		{"not UTF-8", Cursor, "{\n \"a\xff\"}", "f:2:4: the file is not valid UTF-8"},
		{"too large", Claude, strings.Repeat(" ", 10<<20), "10.0 MB"},
		{"too large modes", RooModes, strings.Repeat(" ", 2<<20), "at most 0.5 MB"},
		{"deep objects", Winnow, deep, "100 levels"},
		{"deep lists", Winnow, strings.Repeat("[", 3_000_000), "100 levels"},
		{"deep flow YAML", RooModes, "a: " + strings.Repeat("[", 200_000), "100 levels"},
		{"deep block YAML", RooModes, strings.Repeat("- ", 200_000) + "a", "100 levels"},
		{"deep tagged YAML", RooModes, "a: " + strings.Repeat("!x ", 100_000), "100 levels"},
		{"too many keys", RooModes, strings.Repeat("a: b\n", 20_000), "f:10001:1: the file has more than 10000 keys"},
		{"too many keys in braces", RooModes, "{" + strings.Repeat("a,\n", 20_000) + "}", "more than 10000 keys"},
		{"as many keys as can be", RooModes, strings.Repeat("a: b\n", 10_000) + "- c", "invalid YAML"},
		{"aliases that unfold", RooModes, billionLaughs(), "unfold"},
		{"a list", Winnow, "[]", "must hold an object"},
		{"a list of modes", RooModes, "- a", "must hold an object"},
		{"half written", Winnow, "{\n  \"servers\": {", "f:2:15: invalid JSON"},
		{"missing comma", Winnow, "{\"a\": 1\n\"b\": 2}", "f:2:1: invalid JSON"},
		{"astral columns", Winnow, "{\"😀\" 1}", "f:1:7: invalid JSON"},
		{"broken YAML", RooModes, "customModes:\n  - slug: a\n name: b", "invalid YAML"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := Parse(Source{Path: "f", Dialect: tt.dialect}, []byte(tt.data))
			if !f.Broken || len(f.Problems) != 1 {
				t.Fatalf("broken %t, problems %v", f.Broken, f.Problems)
			}
			if p := f.Problems[0]; !strings.Contains(p.String(), tt.want) || p.Severity != Error {
				t.Errorf("got %s: %s, want %q", p.Severity, p, tt.want)
			}
		})
	}
}

func billionLaughs() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		list := strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9)
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, list, i-1)
	}
	return b.String()
}

// TestParse_ByteOrderMark: a mark is not part of the text, and columns do not
// count it.
func TestParse_ByteOrderMark(t *testing.T) {
	t.Parallel()
	f := Parse(Source{Dialect: Winnow}, []byte("\ufeff{\"servers\": {\"a\": {\"command\": \"x\"}}}"))
	if len(f.Problems) > 0 || len(f.Entries) != 1 || f.Entries[0].Origin.Column != 14 {
		t.Errorf("got %+v", f)
	}
}

// TestParse_NeverQuotesValues puts a secret wherever a value can be wrong.
func TestParse_NeverQuotesValues(t *testing.T) {
	t.Parallel()
	const secret = "hunter2SECRET"
	texts := []string{
		`{"servers": {"a": {"command": "x", "env": {"K": ["` + secret + `"]}}}}`,
		`{"servers": {"a": {"url": "nonsense://` + secret + `"}}}`,
		`{"servers": {"a": {"url": "http://` + secret + `"}, "a": {"command": "` + secret + `", "url": "` + secret + `"}}}`,
		`{"servers": {"a": {"type": "` + secret + `", "url": "https://x"}}}`,
		`{"servers": {"a": {"url": "https://x", "headers": "` + secret + `", "timeout": "` + secret + `", "deferTools": "` + secret + `"}}}`,
		`{"servers": {"a": {"command": "x", "env": {"K": ` + secret + `}}}}`,
		"{\"servers\": {\"a\": {\"command\": \"x\", \"env\": {\"K\": \"" + secret + "\nrest\"}}}}",
		`{"servers": {"a": {"env": {"K": "` + secret + `"}}}, "inputs": [{"id": "` + secret + `x", "type": "` + secret + `"}]}`,
		`{"servers": "` + secret + `"}`,
		`customModes: {"` + secret + `": [`,
		"customModes:\n  - " + secret + "\n - \"" + secret + "\" x",
		"a: b: " + secret,
	}
	for _, dialect := range allDialects() {
		for _, text := range texts {
			text := strings.Replace(text, `"servers"`, `"`+dialect.traits().serversKey+`"`, 1)
			for _, p := range Parse(Source{Dialect: dialect}, []byte(text)).Problems {
				if strings.Contains(p.String(), secret) {
					t.Errorf("%s: %s\nquotes the secret of %s", dialect, p, text)
				}
			}
		}
	}
}

// TestParse_ManyProblems: a file reports a bounded number of problems, and an
// entry past the bound is still known to be wrong.
func TestParse_ManyProblems(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"mcpServers": {`)
	for i := range 2000 {
		fmt.Fprintf(&b, `"s%d": {"command": ""},`, i)
	}
	b.WriteString(`"last": {"command": "x"}}}`)
	f := Parse(Source{Dialect: Claude}, []byte(b.String()))
	if len(f.Entries) != 2001 || len(f.Problems) != maxProblems {
		t.Errorf("%d entries, %d problems", len(f.Entries), len(f.Problems))
	}
	if f.Entries[1999].Invalid == nil || f.Entries[2000].Invalid != nil {
		t.Errorf("the last two are %v and %v", f.Entries[1999].Invalid, f.Entries[2000].Invalid)
	}
}

// TestParse_NoName: an entry whose server nobody can name is told of and left
// out; the others stay.
func TestParse_NoName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxServerName)
	f := Parse(Source{Dialect: Claude}, []byte(`{"mcpServers": {"": {"command": "x"}, " ": {}, "`+long+`": {"command": "x"}, "`+long+`x": {"command": "x"}, "ok": {"command": "x"}}}`))
	if len(f.Entries) != 2 || f.Entries[0].Name != long || f.Entries[1].Name != "ok" {
		t.Errorf("%d entries: %+v", len(f.Entries), f.Entries)
	}
	if len(f.Problems) != 3 || !strings.Contains(f.Problems[2].String(), "257 bytes") || len(f.Problems[2].String()) > 300 {
		t.Errorf("%d problems: %v", len(f.Problems), f.Problems)
	}
}

// TestParse_Project reads the servers that `claude mcp add` keeps for a folder.
func TestParse_Project(t *testing.T) {
	t.Parallel()
	const text = `{"mcpServers": {"everywhere": {"command": "x"}}, "projects": {
		"/w": {"mcpServers": {"here": {"command": "x"}}, "history": []},
		"C:/w": {"mcpServers": {"windows": {"command": "x"}}}}}`
	for project, want := range map[string]string{"/w": "here", `C:\w`: "windows", "": "everywhere", "/other": ""} {
		f := Parse(Source{Dialect: Claude, Project: project}, []byte(text))
		got := ""
		for _, e := range f.Entries {
			got += e.Name
		}
		if got != want || len(f.Problems) > 0 {
			t.Errorf("project %q: got %q, want %q; problems %v", project, got, want, f.Problems)
		}
	}
}

func allDialects() []Dialect {
	return []Dialect{Winnow, Claude, Roo, Cursor, VSCode, Copilot, Cline, Kilo, KiloConfig, RooModes}
}
