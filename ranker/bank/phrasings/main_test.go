package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/bank"
)

func write(t *testing.T, file, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const captured = `{"name": "toy", "tools": [
	{"name": "wind_up", "description": "Wind the toy up", "inputSchema": {"properties": {"turns": {}}}},
	{"name": "let_go", "description": "Let it go"}]}`

func TestLacking(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"lacking", write(t, "capture.json", captured)}, &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != "toy\tlet_go\ntoy\twind_up\n" {
		t.Errorf("lacking: %q", out.String())
	}
}

func TestAdd_KeepsPhrasingsOfToolsThatStay(t *testing.T) {
	folder := t.TempDir()
	before := "server toy box\n\ntool gone 00000000\n\tbye\n\ntool wind_up 00000000\n\tgive it a twist\n"
	path := filepath.Join(folder, "toy.txt")
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := add(folder, "toy", write(t, "capture.json", captured)); err != nil {
		t.Fatal(err)
	}
	servers, err := bank.ReadDir(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	s := servers[0]
	if strings.Join(s.Family, " ") != "toy box" || len(s.Tools) != 2 || s.Tools[0].Name != "let_go" || len(s.Tools[0].Phrasings) != 0 {
		t.Fatalf("server %+v", s)
	}
	if tool := s.Tools[1]; strings.Join(tool.Phrasings, "|") != "give it a twist" || len(tool.Parameters) != 1 ||
		tool.Description != bank.DescriptionPrint("Wind the toy up") {
		t.Errorf("tool %+v", tool)
	}
}

func TestCompile_RefusesAnUnsoundSource(t *testing.T) {
	folder, table := t.TempDir(), filepath.Join(t.TempDir(), "table")
	if err := add(folder, "toy", write(t, "capture.json", captured)); err != nil {
		t.Fatal(err)
	}
	if err := compile(folder, table); err == nil || !strings.Contains(err.Error(), "toy.txt:3: tool let_go: has 0 phrasings, want 8") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(table); err == nil {
		t.Error("a table was written all the same")
	}
}

func TestRun_Errors(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "usage:"},
		{[]string{"lacking"}, "usage:"},
		{[]string{"lacking", "/nowhere.json"}, "read a capture"},
		{[]string{"lacking", write(t, "odd.json", "[]")}, `want an object with the list "tools"`},
	} {
		if err := run(test.args, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.args, err, test.want)
		}
	}
}
