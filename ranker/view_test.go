package ranker

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// open returns a view of a message over a corpus.
func open(t *testing.T, c *Corpus, message string, eligible func(int) bool) *view {
	t.Helper()
	w := newWork(c.fusion())
	w.reset(&Query{Text: message, Eligible: eligible})
	w.whole.read(message, poolSize, nil, nil)
	return w.whole
}

// The words' part is the sum over √(best·15), the meaning's part how far the
// similarity rises from the mean to the best; each times its share of ½.
func TestView_Parts(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.camera: Takes a picture", "b.invoice: Pay", "c.zebra: Striped"), nil, WithEmbedder(testConcepts))
	v := open(t, c, "camera", nil)
	best := v.words.get(0)
	words, meaning := v.wordsPart(0), v.meaningPart(0)
	if want := 0.5 * best / math.Sqrt(best*typicalWords); math.Abs(words-want) > 1.0/65536 {
		t.Errorf("words %v, want ½·%v/√(%v·15) = %v", words, best, best, want)
	}
	if meaning != 0.5 {
		t.Errorf("meaning of the nearest is %v, want the whole share", meaning)
	}
	for doc := range int32(2) {
		if words, meaning := v.wordsPart(doc+1), v.meaningPart(doc+1); words != 0 || meaning != 0 {
			t.Errorf("document %d, which shares nothing, has %v and %v", doc+1, words, meaning)
		}
	}
}

func TestView_SharesWhenOneSideIsMissing(t *testing.T) {
	t.Parallel()
	docs := tools(t, "a.camera: Takes a picture", "b.zebra: Striped", "c.pay: Invoice")
	for _, test := range []struct {
		name, message string
		options       []Option
		share         float64
	}{
		{"no embedder", "camera", nil, 0},
		{"both", "camera", []Option{WithEmbedder(testConcepts)}, 0.5},
		{"a message the embedder does not know", "zebra", []Option{WithEmbedder(testConcepts)}, 0},
		{"nothing said", "the of", []Option{WithEmbedder(testConcepts)}, 0},
	} {
		if got := open(t, NewCorpus(docs, nil, test.options...), test.message, nil).meaningShare(); got != test.share {
			t.Errorf("%s: the meaning's share is %v, want %v", test.name, got, test.share)
		}
	}
}

// Who may not be returned neither takes a place in the pool nor sets the scale.
func TestView_IneligibleDocumentsDoNotCount(t *testing.T) {
	t.Parallel()
	docs := tools(t, "a.camera: camera camera camera", "b.photo: Takes a photo with the camera", "c.pay: Invoice")
	c := NewCorpus(docs, nil, WithEmbedder(testConcepts))
	v := open(t, c, "camera", func(doc int) bool { return doc != 0 })
	if slices.Contains(v.pool, 0) {
		t.Errorf("pool %v has an ineligible document", v.pool)
	}
	words, meaning := v.wordsPart(1), v.meaningPart(1)
	if want := 0.5 * math.Sqrt(v.words.get(1)/typicalWords); math.Abs(words-want) > 1.0/65536 || meaning != 0.5 {
		t.Errorf("the best eligible document has %v and %v, want %v and 0.5", words, meaning, want)
	}
}

func TestView_PoolHoldsEachDocumentOnce(t *testing.T) {
	t.Parallel()
	var docs []Document
	for i := range 3 * poolSize {
		docs = append(docs, tool(t, "s.camera"+strings.Repeat("x", i%9)+": Takes a picture"))
		docs[i].ID += strings.Repeat("y", i)
	}
	v := open(t, NewCorpus(docs, nil, WithEmbedder(testConcepts)), "take a picture with the camera", nil)
	pool := slices.Clone(v.pool)
	slices.Sort(pool)
	if len(slices.Compact(pool)) != len(v.pool) || len(v.pool) < poolSize {
		t.Errorf("%d documents in the pool, %d of them different", len(v.pool), len(slices.Compact(pool)))
	}
}

func TestView_HasAll(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.delete_file: Delete a file", "b.other: Thing"), nil)
	v := open(t, c, "erase the file", nil)
	stems := c.fusion().lexicon.stems
	for _, test := range []struct {
		terms []termID
		want  bool
	}{
		{[]termID{stems["file"]}, true},
		{[]termID{stems["file"], stems["thing"]}, false},
		{[]termID{stems["delet"]}, false}, // only implied
		{nil, true},
	} {
		if got := v.hasAll(test.terms); got != test.want {
			t.Errorf("hasAll(%v) = %v, want %v", test.terms, got, test.want)
		}
	}
}
