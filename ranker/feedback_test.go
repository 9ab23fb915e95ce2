package ranker

import (
	"math"
	"strings"
	"testing"
)

// The message finds a, b and c by their meaning, and with them d and e, which are
// all the same to it. Of the five, a, b and e are called "snap", which gives the
// message the word with 0.3·3/5 = 0.18 and lifts e above d.
func TestFeedback_NamesOfTheBestCount(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t,
		"a.snap_picture: Camera", "b.snap_image: Camera", "c.camera: Picture",
		"d.hold: A photo within a frame", "e.snap: A photo within a frame", "f.pay: Invoice", "g.forecast: Rain"),
		nil, WithEmbedder(testConcepts))
	x, q := c.fusion(), Query{Text: "camera image"}
	w := newWork(x)
	w.reset(&q)
	w.whole.read(q.Text, poolSize, nil, nil)
	if w.whole.score(3) != w.whole.score(4) {
		t.Fatalf("d scores %v before, e %v", w.whole.score(3), w.whole.score(4))
	}
	own := len(w.whole.terms)
	feedBack(w.whole)
	added := w.whole.terms[own:]
	if len(added) != 1 || x.lexicon.texts[added[0].term] != "snap" || math.Abs(added[0].weight-0.18) > 1e-9 {
		t.Errorf("added %+v, want snap with 0.18", added)
	}
	if w.whole.score(4) <= w.whole.score(3) {
		t.Errorf("e scores %v with the word that it was given, d %v", w.whole.score(4), w.whole.score(3))
	}
	if w.whole.coverage(4) != 0 {
		t.Error("a name counts as covered by a word that the message does not have")
	}
}

// Added words are named in the explanation, and without vectors nothing is added.
func TestFeedback_Explained(t *testing.T) {
	t.Parallel()
	docs := tools(t, "a.snap_picture: Camera", "b.snap_image: Photo", "f.pay: Invoice", "g.forecast: Rain")
	for _, test := range []struct {
		embedder Embedder
		added    bool
	}{{testConcepts, true}, {nil, false}} {
		c := NewCorpus(docs, nil, WithEmbedder(test.embedder))
		found := c.Ranker(Auto).Rank(Query{Text: "take a photo with the camera", Explain: true})
		var details []string
		for _, m := range found {
			for _, p := range m.Parts {
				details = append(details, p.Detail)
			}
		}
		if added := strings.Contains(strings.Join(details, " "), "snap (best tools)"); added != test.added {
			t.Errorf("with embedder %v: added %v in %q", test.embedder != nil, added, details)
		}
	}
}

// A tool that has a word twice in its name does not agree with itself.
func TestFeedback_OneToolIsNoAgreement(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.snap_snap: Camera", "b.hold: Photo", "f.pay: Invoice", "g.forecast: Rain"),
		nil, WithEmbedder(testConcepts))
	w, q := newWork(c.fusion()), Query{Text: "camera image"}
	w.reset(&q)
	w.whole.read(q.Text, poolSize, nil, nil)
	own := len(w.whole.terms)
	feedBack(w.whole)
	if added := w.whole.terms[own:]; len(added) != 0 {
		t.Errorf("added %+v, want nothing", added)
	}
}

// A name that is a list of words to be found by gives no more than a message
// may have.
func TestFeedback_LendsNoMoreThanAMessageHas(t *testing.T) {
	t.Parallel()
	name := "camera"
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			name += "_q" + string(a) + string(b)
		}
	}
	docs := []Document{{ID: "long", Server: "s", Name: name}, {ID: "twin", Server: "t", Name: name}, {ID: "pay", Server: "u", Name: "invoice"}}
	c := NewCorpus(docs, nil, WithEmbedder(testConcepts))
	w, q := newWork(c.fusion()), Query{Text: "photo camera"}
	w.reset(&q)
	w.whole.read(q.Text, poolSize, nil, nil)
	own := len(w.whole.terms)
	feedBack(w.whole)
	if added := len(w.whole.terms) - own; added != maxQueryTerms {
		t.Errorf("added %d words, want %d", added, maxQueryTerms)
	}
}
