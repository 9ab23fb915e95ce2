package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// TestMeasure does the sums of three messages by hand: one whose tool is
// attached, one whose tool is named, one whose tool is neither.
func TestMeasure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tools := ""
	for _, name := range []string{"zebra", "yak", "wolf"} {
		tools += `{"server":"s","name":"` + name + `","description":"alike ` + strings.Repeat(name+" ", len(name)) + `","inputSchema":{}}` + "\n"
	}
	tools += strings.ReplaceAll(tools, `"s"`, `"t"`)
	write(t, dir, "tools.jsonl", tools)
	write(t, dir, "queries.jsonl", `{"query":"zebra yak","gold":[["s","zebra"]]}
{"query":"zebra yak","gold_alternatives":[[["s","yak"],["s","wolf"]]]}
{"query":"zebra yak","gold":[["t","wolf"]]}
`)
	write(t, dir, "no_tool.jsonl", `{"query":"zebra"}`)
	s, err := readSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := router.BuildCatalog(router.CatalogInput{Version: 1, Servers: s.servers, Count: func(string) int { return 1000 }}, nil)
	settings := protocol.DefaultSettings()
	settings.Ranker, settings.Threshold, settings.InitialK, settings.Named = protocol.RankerBM25, 1, 2, 2
	got := measure(router.NewView(c, &settings, nil), s, task{requests: 2, context: 10})
	// Two tools and mcp_load are 3,000 tokens. Two messages take a third request, and
	// carry a missing tool of 1,000 in 2 of them.
	want := measured{tokens: 3000, full: 1. / 3, known: 2. / 3, rounds: 8. / 3, task: (6020 + 2*11030) / 3., idle: 2}
	for what, pair := range map[string][2]float64{
		"tokens": {got.tokens, want.tokens}, "in full": {got.full, want.full}, "or by name": {got.known, want.known},
		"rounds": {got.rounds, want.rounds}, "task": {got.task, want.task}, "idle": {got.idle, want.idle},
	} {
		if diff := pair[0] - pair[1]; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: got %v, want %v", what, pair[0], pair[1])
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
