package ranker

import (
	"fmt"
	"sync"
	"testing"
)

// A corpus that took work over from an earlier version answers exactly as one
// made from nothing.
func TestCorpus_ReuseChangesNoAnswer(t *testing.T) {
	t.Parallel()
	query := Query{Text: "read a file, create an issue, send a message, upload a picture, erase it", Explain: true}
	docs := office(t)
	option := WithEmbedder(testConcepts)
	c := NewCorpus(docs, nil, option)
	c.Ranker(Auto).Rank(query)
	for step, change := range []func(d []Document) []Document{
		func(d []Document) []Document { d[2].Description = "Upload a picture to an issue"; return d },
		func(d []Document) []Document { return append(d[:3:3], d[4:]...) },
		func(d []Document) []Document { return append(d, tool(t, "img.upload: Upload a picture")) },
		func(d []Document) []Document { d[0], d[4] = d[4], d[0]; return d },
		func(d []Document) []Document { return d[:1] },
		func(d []Document) []Document { return d[:0] },
	} {
		docs = change(append([]Document(nil), docs...))
		c = NewCorpus(docs, c, option)
		fresh := NewCorpus(docs, nil, option)
		for _, kind := range []Kind{Auto, BM25} {
			if got, want := bytesOf(c.Ranker(kind).Rank(query)), bytesOf(fresh.Ranker(kind).Rank(query)); got != want {
				t.Errorf("step %d, %s:\n got %s\nwant %s", step, kind, got, want)
			}
		}
	}
}

// What was prepared is what a query finds, and ranks as if it had not been; where it is
// stopped nothing is built.
func TestCorpus_Prepare(t *testing.T) {
	t.Parallel()
	query := Query{Text: "read a file, create an issue", Explain: true}
	docs := office(t)
	prepared, fresh, stopped := NewCorpus(docs, nil), NewCorpus(docs, nil), NewCorpus(docs, nil)
	prepared.Prepare(func() bool { return false })
	stopped.Prepare(func() bool { return true })
	if prepared.terms.made.Load() == nil || stopped.terms.made.Load() != nil {
		t.Errorf("built: %t, and where it was stopped: %t", prepared.terms.made.Load() != nil, stopped.terms.made.Load() != nil)
	}
	if got, want := bytesOf(prepared.Ranker(Auto).Rank(query)), bytesOf(fresh.Ranker(Auto).Rank(query)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestCorpus_ReusesUnchangedDocuments(t *testing.T) {
	t.Parallel()
	docs := office(t)
	first := NewCorpus(docs, nil)
	before := first.analyse()
	changed := append([]Document(nil), docs...)
	changed[0].Description = "Something else"
	skipped := NewCorpus(changed, first) // never queried
	after := NewCorpus(changed, skipped).analyse()
	for i := range docs {
		if reused := after.analyses[i] == before.analyses[i]; reused != (i != 0) {
			t.Errorf("document %d reused: %v", i, reused)
		}
	}
}

func TestCorpus_ForgetsTermsOfDocumentsLongGone(t *testing.T) {
	t.Parallel()
	var c *Corpus
	for version := range 200 {
		docs := []Document{{ID: "a", Name: "fixed", Description: fmt.Sprintf("word%d other%d third%d", version, version, version)}}
		c = NewCorpus(docs, c)
		c.Ranker(BM25).Rank(Query{Text: "fixed"})
	}
	if n := len(c.analyse().lexicon.texts); n > 40 {
		t.Errorf("the lexicon holds %d terms after 200 versions of 13", n)
	}
}

func TestCorpus_DropsEarlierVersions(t *testing.T) {
	t.Parallel()
	first := NewCorpus(office(t), nil)
	first.Ranker(Auto).Rank(Query{Text: "file"})
	second := NewCorpus(office(t), first)
	second.Ranker(Auto).Rank(Query{Text: "file"})
	if second.terms.earlier.Load() != nil {
		t.Error("a built corpus still holds the version before it")
	}
}

func TestCorpus_ConcurrentUse(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	want := bytesOf(NewCorpus(office(t), nil).Ranker(Auto).Rank(Query{Text: "read a file"}))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got := bytesOf(c.Ranker(Auto).Rank(Query{Text: "read a file"})); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				NewCorpus(office(t), c).Ranker(Keyword).Rank(Query{Text: "read a file"})
			}
		})
	}
	wg.Wait()
}
