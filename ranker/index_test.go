package ranker

import (
	"math"
	"slices"
	"testing"
)

// "alpha beta" as a name of weight 2 is 2·2 = 4 long, "alpha" as a description
// of weight 1 is 1 long.
func TestIndex_WeightsFields(t *testing.T) {
	t.Parallel()
	docs := []Document{{ID: "a", Name: "alpha beta"}, {ID: "b", Description: "alpha"}}
	parameters := bm25f{k1: 1.5, b: 0.75}
	parameters.fields[fieldName], parameters.fields[fieldDescription] = 2, 1
	x := newIndex(NewCorpus(docs, nil).analyse(), parameters)
	if x.typical != 4 { // the upper median of 1 and 4
		t.Fatalf("typical length %v, want 4", x.typical)
	}
	// ln(1 + 0.5/2.5) = 0.18232 for a word in both of two documents.
	// a: tf 2, norm 0.25+0.75·4/4 = 1:    0.18232·2·2.5/(2+1.5)      = 0.26046
	// b: tf 1, norm 0.25+0.75·1/4 = 0.4375: 0.18232·2.5/(1+0.65625) = 0.27520
	id := x.lexicon.stems["alpha"]
	docsOf, impacts := x.postings(id)
	if !slices.Equal(docsOf, []uint32{0, 1}) {
		t.Fatalf("documents %v, want 0 and 1", docsOf)
	}
	for i, want := range []float64{0.26046, 0.27520} {
		if math.Abs(float64(impacts[i])-want) > 2e-5 {
			t.Errorf("impact on document %d is %v, want %v", i, impacts[i], want)
		}
	}
}

func TestIndex_TypicalLengthIsNotRaisedByAFewLongOnes(t *testing.T) {
	t.Parallel()
	docs := office(t)
	usual := newIndex(NewCorpus(docs, nil).analyse(), plainBM25()).typical
	long := Document{ID: "long"}
	for range 1000 {
		long.Description += "word other "
	}
	with := newIndex(NewCorpus(append(docs, long), nil).analyse(), plainBM25()).typical
	if with > usual+1 {
		t.Errorf("one long description raises the typical length from %v to %v", usual, with)
	}
}

func TestIDF_NeverNegativeAndFalling(t *testing.T) {
	t.Parallel()
	last := idf(1000, 0)
	for df := 1; df <= 1000; df++ {
		next := idf(1000, df)
		if next < 0 || next > last {
			t.Fatalf("idf of %d in 1000 is %v after %v", df, next, last)
		}
		last = next
	}
}

func TestAnalysis_CountsStop(t *testing.T) {
	t.Parallel()
	d := Document{Description: "alpha alpha alpha alpha alpha alpha alpha"}
	l := newLexicon()
	a := newAnalyser(l).analyse(&d, &expander{}, nil)
	if got := a.terms[0].counts[fieldDescription]; got != maxCount {
		t.Errorf("count %d, want it to stop at %d", got, maxCount)
	}
	if got := a.lengths[fieldDescription]; got != 7 {
		t.Errorf("length %d, want all 7", got)
	}
}

func TestLexicon_InflectionsAreOneTermAndStopWordsNone(t *testing.T) {
	t.Parallel()
	l := newLexicon()
	create, creates := l.add([]byte("create"), 0), l.add([]byte("creates"), 0)
	if create != creates || l.add([]byte("the"), 0) != noTerm {
		t.Error("create and creates differ, or the is a term")
	}
	c := l.clone()
	other := c.add([]byte("other"), 0)
	if _, ok := l.find([]byte("zebra")); ok || int(other) == len(l.texts)-1 {
		t.Error("a word nobody added is known, or a clone shares its numbers")
	}
	if id, ok := l.find([]byte("creating")); !ok || id != create {
		t.Errorf("creating is term %d, %v, want %d", id, ok, create)
	}
	if id, ok := l.find([]byte("and")); !ok || id != noTerm {
		t.Errorf("and is term %d, %v, want none", id, ok)
	}
}
