package ranker

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/explained.golden")

// TestGolden_Explained keeps whole answers with every part of every score, to
// the last bit. It fails when any arithmetic changes, on any architecture.
func TestGolden_Explained(t *testing.T) {
	t.Parallel()
	docs := append(office(t), tools(t,
		"sky.forecast: Weather forecast with rain and temperature for a city",
		"teams.postMessage: Post a message to a channel",
		"mirror.read_file: Read the contents of a file")...)
	docs[0].Parameters = []Parameter{{Name: "sql", Description: "The SELECT statement to run"}, {Name: "maxRows"}}
	docs[4].Destructive = Yes
	c := NewCorpus(docs, nil, WithEmbedder(testConcepts))
	var got strings.Builder
	for _, kind := range []Kind{Auto, Embeddings, BM25, Keyword} {
		for _, q := range []Query{
			{Text: "send slack message"},
			{Text: "Read report.pdf and merge it with notes.pdf. Then tell the team on Slack, and open a pull request."},
			{Text: "what does the file say", Earlier: []string{"will it rain?"}, Called: []int{3}},
			{Text: "erase the picture", Uses: func(doc int) float64 { return float64(doc % 3) }},
			{Text: "ping everyone about the weather", Memory: remember("ping everyone", "teams.postMessage")},
		} {
			q.Explain, q.Limit = true, 4
			writeAnswer(&got, c, kind, &q)
		}
	}
	compareGolden(t, "testdata/explained.golden", got.String())
}

func writeAnswer(out *strings.Builder, c *Corpus, kind Kind, q *Query) {
	fmt.Fprintf(out, "%s: %s\n", kind, q.Text)
	for _, m := range c.Ranker(kind).Rank(*q) {
		fmt.Fprintf(out, "  %.16f %s\n", m.Score, c.Document(m.Doc).ID)
		for _, p := range m.Parts {
			fmt.Fprintf(out, "    %+.16f %s: %s\n", p.Value, p.Name, p.Detail)
		}
	}
}

// compareGolden compares got with a file, which -update rewrites.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("%s:%d differs; if it is meant to, run go test ./ranker -update\n got %s\nwant %s",
				file, i+1, gotLines[i], wantLines[i])
		}
	}
	t.Fatalf("%s has %d lines, want %d", file, len(wantLines), len(gotLines))
}
