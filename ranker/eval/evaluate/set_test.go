package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeSet writes a set to a new folder.
func writeSet(t *testing.T, tools, queries string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"tools.jsonl": tools, "queries.jsonl": queries} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const tinyTools = `{"server":"s","name":"read","description":"Read a file","inputSchema":{"properties":{"path":{"description":"Where"}}}}
{"server":"s","name":"write","description":"Write a file"}
{"server":"s","name":"read","description":"The same again"}
`

const tinyQueries = `{"query":"read it","gold":[["s","read"]]}
{"query":"read and write","gold":[["s","read"],["s","write"],["s","read"]]}
`

func TestReadSets(t *testing.T) {
	t.Parallel()
	dir := writeSet(t, tinyTools, tinyQueries)
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		sets, err := readSets(folder, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := sets[0]
		if len(sets) != 1 || s.name != "tiny" || len(s.docs) != 2 || len(s.queries) != 2 {
			t.Fatalf("read %+v", s)
		}
		if p := s.docs[0].Parameters; len(p) != 1 || p[0].Name != "path" || p[0].Description != "Where" {
			t.Errorf("parameters %+v", p)
		}
		if got := fmt.Sprint(s.queries[1].needs); got != "[[0] [1]]" {
			t.Errorf("needs %s, want 0 and 1, each once", got)
		}
	}
}

func TestReadSets_AlternativesKindsAndIdle(t *testing.T) {
	t.Parallel()
	dir := writeSet(t, tinyTools, `{"query":"a","kind":"vague","gold":[],"gold_alternatives":[[["s","write"],["s","read"]]]}
{"query":"b","kind":"short","gold":[["s","read"]],"gold_alternatives":[[["s","read"],["s","write"]],[["s","write"],["s","read"],["s","read"]]]}
{"query":"c","gold":[["s","read"]]}
`)
	none := `{"query":"hello","gold":[],"gold_alternatives":[],"kind":"no_tool"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "no_tool.jsonl"), []byte(none), 0o644); err != nil {
		t.Fatal(err)
	}
	sets, err := readSets(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := sets[0]
	for i, want := range []string{"[[0 1]]", "[[0] [0 1]]", "[[0]]"} {
		if got := fmt.Sprint(s.queries[i].needs); got != want {
			t.Errorf("message %d needs %s, want %s", i, got, want)
		}
	}
	if got := strings.Join(s.kinds(), " "); got != "short vague" {
		t.Errorf("kinds %q", got)
	}
	if len(s.idle) != 1 || s.idle[0].text != "hello" || len(s.idle[0].needs) != 0 {
		t.Errorf("messages that need no tool: %+v", s.idle)
	}
}

func TestReadSets_Errors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, tools, queries, want string }{
		{"tool that is not there", tinyTools, `{"query":"q","gold":[["s","fly"]]}`, `queries.jsonl:1: query "q" needs ["s" "fly"]`},
		{"no need", tinyTools, `{"query":"q","gold":[]}`, "needs no tool"},
		{"no member", tinyTools, `{"query":"q","gold_alternatives":[[]]}`, "a group of alternatives without a tool"},
		{"member that is not there", tinyTools, `{"query":"q","gold_alternatives":[[["s","read"],["s","fly"]]]}`, `query "q" needs ["s" "fly"]`},
		{"no JSON", "{", tinyQueries, "tools.jsonl:1"},
	} {
		if _, err := readSets(writeSet(t, test.tools, test.queries), 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := readSets(t.TempDir(), 0); err == nil || !strings.Contains(err.Error(), "no set in") {
		t.Errorf("empty folder: error %v", err)
	}
}

func TestReadSets_NoToolThatNeedsOne(t *testing.T) {
	t.Parallel()
	dir := writeSet(t, tinyTools, tinyQueries)
	if err := os.WriteFile(filepath.Join(dir, "no_tool.jsonl"), []byte(tinyQueries), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readSets(dir, 0); err == nil || !strings.Contains(err.Error(), "no_tool.jsonl:1: query \"read it\" needs a tool") {
		t.Errorf("error %v", err)
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	items := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, test := range []struct {
		limit int
		want  []int
	}{{0, items}, {20, items}, {5, []int{0, 2, 4, 6, 8}}, {1, []int{0}}} {
		if got := spread(items, test.limit); !slices.Equal(got, test.want) {
			t.Errorf("spread to %d: %v, want %v", test.limit, got, test.want)
		}
	}
}

func TestAddDistractors_OnlyNewTools(t *testing.T) {
	t.Parallel()
	dir := writeSet(t, tinyTools, tinyQueries)
	sets, err := readSets(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	more := filepath.Join(t.TempDir(), "tools.jsonl")
	if err := os.WriteFile(more, []byte(`{"server":"s","name":"read"}`+"\n"+`{"server":"x","name":"read"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := sets[0].addDistractors(more); err != nil || len(sets[0].docs) != 3 {
		t.Errorf("%d documents, error %v, want 3", len(sets[0].docs), err)
	}
	if err := sets[0].addDistractors(more + "x"); err == nil || !strings.Contains(err.Error(), "no distractors at") {
		t.Errorf("missing file: error %v", err)
	}
}

func TestParameters_NestedAndOdd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, want string }{
		{``, ""}, {`null`, ""}, {`"text"`, ""}, {`{"properties":7}`, ""},
		{`{"properties":{"b":{},"a":{"properties":{"c":{}}}}}`, "a c b"},
		{`{"properties":{"list":{"items":{"properties":{"x":{}}}}}}`, "list x"},
		{`{"properties":{"odd":true,"d":{"description":5}}}`, "d odd"},
		{strings.Repeat(`{"properties":{"p":`, 40) + `{}` + strings.Repeat(`}}`, 40), strings.TrimSpace(strings.Repeat("p ", maxSchemaDepth+1))},
	} {
		var names []string
		for _, p := range Parameters([]byte(test.schema)) {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("parameters of %.60s: %q, want %q", test.schema, got, test.want)
		}
	}
}
