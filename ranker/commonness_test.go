package ranker

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// A token that all of 1,000 documents have weighs √(.03/1.03) = .17, one that
// two or three others have (2^-9 of them, below the least share) weighs 1.
func TestCommonness_Weights(t *testing.T) {
	t.Parallel()
	w := DefaultWeights()
	c := newCommonness(&w)
	for _, test := range []struct {
		count, n int
		want     float64
	}{
		{0, 1000, .7},
		{1, 1000, 1},
		{1, 1, 1}, // one tool alone
		{4, 1000, 1},
		{9, 1000, math.Sqrt(.03 / (.03 + 1./64))},
		{100, 1000, math.Sqrt(.03 / (.03 + 1./8))},
		{600, 1000, math.Sqrt(.03 / 1.03)},
		{1000, 1000, math.Sqrt(.03 / 1.03)},
	} {
		if got := float64(c.weights[level(test.count, test.n)]); math.Abs(got-test.want) > 1e-6 {
			t.Errorf("a token of %d of %d documents weighs %v, want %v", test.count, test.n, got, test.want)
		}
	}
}

// Counts of 1 to n never make a token weigh more than a rarer one.
func TestCommonness_CommonerWeighsNoMore(t *testing.T) {
	t.Parallel()
	w := DefaultWeights()
	c := newCommonness(&w)
	for _, n := range []int{1, 2, 3, 10, 255, 256, 5000} {
		for count := 2; count <= n; count++ {
			if c.weights[level(count, n)] > c.weights[level(count-1, n)] {
				t.Errorf("%d of %d documents weigh more than %d", count, n, count-1)
			}
		}
	}
}

func TestCommonness_CountsDocuments(t *testing.T) {
	t.Parallel()
	w := DefaultWeights()
	c := newCommonness(&w).changed(nil, [][]int32{{0, 3, 0}, {3, 3}, {3}})
	if got, want := c.append(nil, []int32{0, 1, 3, 3, 99}), []float32{1, .7, c.weights[1], c.weights[1], .7}; !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
	none := newCommonness(&w)
	if got := none.append(nil, []int32{5}); !slices.Equal(got, []float32{.7}) {
		t.Errorf("without documents a token weighs %v, want .7", got)
	}
}

// All tools take pictures, so that a picture tells none of them apart: of two
// that differ in what else they do, the message's other word decides more than
// it would among other tools.
func TestEmbedding_CommonTokensCountLess(t *testing.T) {
	t.Parallel()
	difference := func(others string) float64 {
		docs := tools(t, "a.one: Picture and weather", "b.two: Picture")
		for i := range 40 {
			docs = append(docs, tools(t, fmt.Sprintf("c.t%d: %s", i, others))...)
		}
		m := NewCorpus(docs, nil, WithEmbedder(testConcepts)).embed().matrix
		return 1 - dot(m.rows[0], m.rows[1])
	}
	if common, rare := difference("Picture"), difference("Money"); common < 1.5*rare {
		t.Errorf("two of many cameras differ by %v, the only two by %v: want half as much again", common, rare)
	}
}

// In a catalogue that is no longer small every token counts in full, also one
// that none of its documents has.
func TestCommonness_largeCatalogue(t *testing.T) {
	t.Parallel()
	w := DefaultWeights()
	texts := make([][]int32, maxAlike)
	for i := range texts {
		texts[i] = []int32{1}
	}
	small := newCommonness(&w).changed(nil, texts)
	if got := small.append(nil, []int32{1, 2}); got[0] > .25 || got[1] != .7 {
		t.Errorf("%d documents: %v", maxAlike, got)
	}
	large := small.changed(nil, texts[:1])
	if got := large.append(nil, []int32{1, 2}); !slices.Equal(got, []float32{1, 1}) {
		t.Errorf("one more: %v", got)
	}
	if moved := large.moved(small); moved == nil || !moved[1] {
		t.Errorf("vectors are not made anew: %v", moved)
	}
}
