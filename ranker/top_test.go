package ranker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTop_KeepsWhatSortingWould(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	docs := make([]Document, 200)
	for i := range docs {
		docs[i].ID = fmt.Sprintf("%03d", rng.IntN(1000)*1000+i)
	}
	var all []Match
	for i := range docs {
		all = append(all, Match{Doc: i, Score: float64(rng.IntN(20))}) // many ties
	}
	want := slices.Clone(all)
	slices.SortFunc(want, func(a, b Match) int {
		if a.Score > b.Score || a.Score == b.Score && docs[a.Doc].ID < docs[b.Doc].ID {
			return -1
		}
		return 1
	})
	for _, limit := range []int{-1, 0, 1, 3, 50, 199, 200, 1000} {
		kept := newTop(docs, limit, len(all))
		for _, m := range all {
			kept.offer(m)
		}
		expected := want
		if limit > 0 {
			expected = want[:min(limit, len(want))]
		}
		if got := kept.take(); bytesOf(got) != bytesOf(expected) {
			t.Errorf("limit %d keeps %v, want %v", limit, got, expected)
		}
	}
}

func TestTop_OfNothing(t *testing.T) {
	t.Parallel()
	if got := newTop(nil, 5, 0).take(); len(got) != 0 {
		t.Errorf("the best of nothing are %v", got)
	}
}
