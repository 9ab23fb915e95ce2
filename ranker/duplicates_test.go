package ranker

import (
	"strings"
	"testing"
)

func TestDuplicates_DoNotFillTheAnswer(t *testing.T) {
	t.Parallel()
	docs := tools(t, "notes.find_text: Search files that hold a text", "z.grep: Search files by expression")
	for _, server := range strings.Fields("a b c d e f") {
		docs = append(docs, tool(t, server+".search_files: Search files by name in a folder"))
	}
	c := NewCorpus(docs, nil)
	got := c.Ranker(Auto).Rank(Query{Text: "search files by name", Limit: 5})
	copies := strings.Count(ids(c, got), "search_files")
	if copies > 4 || len(got) != 5 {
		t.Errorf("%d of the first five are copies: %s", copies, ids(c, got))
	}
	if got[0].Score <= got[1].Score {
		t.Errorf("a copy scores as much as the first: %v", got)
	}
}

func TestDuplicates_SameNameIsNotEnough(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t,
		"music.search: Find songs and albums by artist", "flights.search: Find planes between two airports"), nil)
	for _, m := range c.Ranker(Auto).Rank(Query{Text: "search", Explain: true}) {
		for _, p := range m.Parts {
			if strings.HasPrefix(p.Name, "copy") {
				t.Errorf("%s counts as a copy", c.Document(m.Doc).ID)
			}
		}
	}
}

func TestDuplicates_PartsStillAddUp(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.search: Search files", "b.search: Search files", "c.search: Search files"), nil)
	for _, m := range c.Ranker(Auto).Rank(Query{Text: "search files", Explain: true}) {
		if sum(m.Parts) != m.Score || m.Score <= 0 {
			t.Errorf("parts %+v add up to %v, score %v", m.Parts, sum(m.Parts), m.Score)
		}
	}
}
