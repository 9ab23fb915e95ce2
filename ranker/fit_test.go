package ranker

import "testing"

// Confidence is half of the larger of best words/(¾·idf of a word in one of three
// tools, ln(1+2.5/1.5)) and best similarity/0.3, at most 1.
func TestFit(t *testing.T) {
	t.Parallel()
	docs := tools(t, "a.camera: Takes a picture", "b.invoice: Pay", "c.zebra: Striped")
	for _, test := range []struct {
		name, message string
		embedder      Embedder
		telling       int
		doubtful      bool
	}{
		{"nothing said", "and now?", testConcepts, 0, true},
		{"politeness only", "please help me", testConcepts, 0, true},
		{"a word that nobody has", "flubber", testConcepts, 1, true},
		{"near in meaning", "a photo", testConcepts, 1, false},
		{"a common word alone", "tool", testConcepts, 1, true},
		{"by words alone", "camera", nil, 1, false},
	} {
		c := NewCorpus(docs, nil, WithEmbedder(test.embedder))
		got := c.Fit(Query{Text: test.message})
		if got.Telling != test.telling || (got.Confidence < Doubtful) != test.doubtful || got.Confidence < 0 || got.Confidence > 1 {
			t.Errorf("%s: %+v, want %d telling words, in doubt %v", test.name, got, test.telling, test.doubtful)
		}
	}
}

// Tools that may not be returned do not make a message fit.
func TestFit_OnlyEligible(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.camera: Takes a picture", "b.zebra: Striped", "c.pay: Invoice"), nil, WithEmbedder(testConcepts))
	all := c.Fit(Query{Text: "photo"})
	some := c.Fit(Query{Text: "photo", Eligible: func(doc int) bool { return doc == 1 }})
	if all.Confidence != 1 || some.Confidence >= Doubtful {
		t.Errorf("confidence %v with the camera, %v without", all.Confidence, some.Confidence)
	}
}
