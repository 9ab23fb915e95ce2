package ranker

import (
	"flag"
	"fmt"
	"os"
	"regexp"
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

// TestExplain_namesWhatIsThere: in ten tasks, each word that the reason of a tool
// names stands in the message or in what the tool says of itself.
func TestExplain_namesWhatIsThere(t *testing.T) {
	t.Parallel()
	docs := append(office(t), tools(t,
		"files.read_file: Read the contents of a file from the disk",
		"files.write_file: Create a file or overwrite it with new content",
		"files.list_directory: List the files and folders of a directory",
		"github.create_issue: Create an issue in a repository with a title and a body",
		"github.list_pull_requests: List the pull requests of a repository",
		"browser.take_screenshot: Take a screenshot of the page that is open",
		"memory.search_nodes: Search the knowledge graph for nodes by a query",
		"sky.forecast: Weather forecast with rain and temperature for a city")...)
	c := NewCorpus(docs, nil, WithEmbedder(testConcepts))
	quoted := regexp.MustCompile(`“([^”]+)”`)
	named := 0
	for _, message := range []string{
		"read the notes of the garden and list what is in the folder", "save this text as notes.md", "open an issue about the broken build",
		"which pull requests wait for me?", "show me how the page looks", "will it rain in Vienna tomorrow?", "send a message to the team on slack",
		"what do we know about beans?", "merge report.pdf with notes.pdf", "overwrite the config and tell everyone",
	} {
		for _, m := range c.Ranker(Auto).Rank(Query{Text: message, Explain: true, Limit: 5}) {
			doc := c.Document(m.Doc)
			text := strings.ToLower(fmt.Sprint(message, " ", doc))
			why := Sentence(m.Parts)
			for _, found := range quoted.FindAllStringSubmatch(why, -1) {
				named++
				if !strings.Contains(text, strings.ToLower(found[1])) {
					t.Errorf("%q, %s: %q is in neither, of %q", message, doc.ID, found[1], why)
				}
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d words are named in ten tasks", named)
	}
}
