package ranker

import (
	"testing"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// Of the two tools that have the message's words in equal number, the one whose
// name says no more than was asked comes first. The words merge and pdf occur
// twice and page once in three names, so that their idf are ln(1+1.5/2.5) = .470
// and ln(1+2.5/1.5) = .981: the message has all of "merge pdf", and
// (.470+.470)/(.470+.470+.981) = .489 of "merge pdf page".
func TestNames_Coverage(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.merge_pdf_page: Work", "b.mergePdf: Work", "c.other: Work"), nil)
	x := c.fusion()
	w := newWork(x)
	w.reset(&Query{Text: "merge a pdf"})
	w.whole.read("merge a pdf", poolSize, nil, nil)
	for doc, want := range []float64{0.489, 1, 0} {
		if got := w.whole.coverage(int32(doc)); got < want-0.001 || got > want+0.001 {
			t.Errorf("coverage of %s is %.3f, want %.3f", c.Document(doc).Name, got, want)
		}
	}
	if got := c.Ranker(Auto).Rank(Query{Text: "merge a pdf"}); ids(c, got) != "b.mergePdf a.merge_pdf_page" {
		t.Errorf("ranked %s", ids(c, got))
	}
}

// A name of which nothing is left but stop words, or no name at all, is covered
// by no message.
func TestNames_WithoutWords(t *testing.T) {
	t.Parallel()
	docs := []Document{{ID: "a", Description: "Merge files"}, {ID: "b", Name: "do_it", Description: "Merge files"}, {ID: "c", Name: "猫"}}
	for _, m := range NewCorpus(docs, nil).Ranker(Auto).Rank(Query{Text: "do it: merge the files", Explain: true}) {
		for _, p := range m.Parts {
			if p.Name == signals.Name.Name {
				t.Errorf("%s has the part %+v", docs[m.Doc].ID, p)
			}
		}
	}
}
