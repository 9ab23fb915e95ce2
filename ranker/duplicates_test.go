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
		if sumOfParts(m.Parts) != m.Score || m.Score <= 0 {
			t.Errorf("parts %+v add up to %v, score %v", m.Parts, sumOfParts(m.Parts), m.Score)
		}
	}
}

// TestDuplicates_untilTheyDiffer: two tools are copies by the share of all their
// terms, however early it shows that they are none.
func TestDuplicates_untilTheyDiffer(t *testing.T) {
	t.Parallel()
	var docs []Document
	for n := range 21 {
		text := strings.Repeat("x", n/10)
		for i := range 20 {
			word := string(rune('a'+i)) + "word"
			if i < n {
				word += "other"
			}
			text += " " + word
		}
		docs = append(docs, tool(t, "server"+string(rune('a'+n))+".search: "+text))
	}
	x := NewCorpus(docs, nil).fusion()
	terms := func(doc int) map[termID]bool {
		own := map[termID]bool{}
		for i := range x.analyses[doc].terms {
			if t := &x.analyses[doc].terms[i]; t.beyondServer() > 0 {
				own[t.term] = true
			}
		}
		return own
	}
	copies := 0
	for a := range docs {
		for b := range docs {
			if a == b {
				continue
			}
			s, common := terms(a), 0
			for term := range terms(b) {
				if s[term] {
					common++
				}
				s[term] = true
			}
			want := float64(common) >= sameTerms*float64(len(s))
			if got := x.copies.alike(int32(a), int32(b)); got != want {
				t.Errorf("%d and %d, with %d of %d terms in common: %t", a, b, common, len(s), got)
			} else if got {
				copies++
			}
		}
	}
	if copies == 0 || copies == len(docs)*(len(docs)-1) {
		t.Errorf("%d pairs are copies", copies)
	}
}
