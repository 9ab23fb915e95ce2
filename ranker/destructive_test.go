package ranker

import (
	"testing"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

func TestOnlyAsks(t *testing.T) {
	t.Parallel()
	var tokenizer text.Tokenizer
	for _, test := range []struct {
		message string
		want    bool
	}{
		{"What is in the file?", true},
		{"list all branches", true},
		{"show me the deleted files", false}, // may be about deleting
		{"Find the file and delete it", false},
		{"delete the file", false},
		{"how do I send it", false},
		{"branches", false}, // says neither
		{"", false},
	} {
		if _, plain := asks(test.message, &tokenizer); (plain == looksUp) != test.want {
			t.Errorf("only asks %q = %v, want %v", test.message, plain, test.want)
		}
	}
}

func TestWishes_AskingDoesNotRankRemovalFirst(t *testing.T) {
	t.Parallel()
	docs := tools(t, "a.delete_branch: Delete a branch of the repository", "b.get_branch: Return one branch and its head in the repository")
	c := NewCorpus(docs, nil)
	if got := ids(c, c.Ranker(Auto).Rank(Query{Text: "which branch of the repository"})); got != "b.get_branch a.delete_branch" {
		t.Errorf("asking ranks %s", got)
	}
	if got := ids(c, c.Ranker(Auto).Rank(Query{Text: "delete the branch of the repository"})); got != "a.delete_branch b.get_branch" {
		t.Errorf("deleting ranks %s", got)
	}
}

func TestWishes_AnnotationsAreBelieved(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*Document)
		want   bool
	}{
		{"says nothing", func(*Document) {}, true},
		{"read-only", func(d *Document) { d.ReadOnly = Yes }, false},
		{"not destructive", func(d *Document) { d.Destructive = No }, false},
		{"destructive", func(d *Document) { d.Destructive = Yes }, true},
		{"not read-only", func(d *Document) { d.ReadOnly = No }, true},
	} {
		d := tool(t, "a.clear_cache: Clear")
		test.change(&d)
		if got := destroys(&d, newAnalyser(newLexicon()).analyse(&d, &expander{}, nil)); got != test.want {
			t.Errorf("%s: destroys = %v, want %v", test.name, got, test.want)
		}
	}
}
