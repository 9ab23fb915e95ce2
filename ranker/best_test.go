package ranker

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBest_KeepsWhatSortingWould(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, limit := range []int{0, 1, 2, 7, 64, 1000} {
		var all []scored
		var b bestDocs
		b.reset(limit)
		for doc := range int32(300) {
			s := scored{float64(rng.IntN(40)), doc} // many ties
			all = append(all, s)
			b.offer(s.score, s.doc)
		}
		slices.SortStableFunc(all, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
		if want := all[:min(limit, len(all))]; !slices.Equal(b.sorted(), want) {
			t.Errorf("limit %d keeps %v, want %v", limit, b.kept, want)
		}
	}
}

func TestBest_TiesByName(t *testing.T) {
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
		kept := newBestDocs(docs, limit, len(all))
		for _, m := range all {
			kept.offer(m.Score, int32(m.Doc))
		}
		expected := want
		if limit > 0 {
			expected = want[:min(limit, len(want))]
		}
		if got := matches(kept.sorted()); bytesOf(got) != bytesOf(expected) {
			t.Errorf("limit %d keeps %v, want %v", limit, got, expected)
		}
	}
}

func TestBest_OfNothing(t *testing.T) {
	t.Parallel()
	if got := newBestDocs(nil, 5, 0).sorted(); len(got) != 0 {
		t.Errorf("the best of nothing are %v", got)
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	m := newMarks(3)
	m.reset()
	if !m.mark(1) || m.mark(1) || m.has(0) || !m.has(1) {
		t.Error("a number is not in the set once and only after it was marked")
	}
	m.reset()
	if m.has(1) {
		t.Error("a number outlives a reset")
	}
	m.mark(2)
	m.epoch = ^uint32(0) // the next reset wraps around
	m.epochs[0] = 1
	m.reset()
	if m.has(0) || m.has(2) {
		t.Error("old marks look current after the epoch wrapped around")
	}
}

func TestScores_ForgetBetweenQueries(t *testing.T) {
	t.Parallel()
	s := newScores(4)
	s.reset()
	x := &index{starts: []uint32{0, 1, 3}, docs: []uint32{2, 0, 2}, impacts: []float32{3, 6, 2}}
	s.addTerms(x, []queryTerm{{term: 0, weight: 0.5}, {term: 1, weight: 0.5}})
	if s.get(2) != 2.5 || s.get(1) != 0 || !slices.Equal(s.touched, []int32{2, 0}) {
		t.Errorf("sums %v %v, touched %v", s.get(2), s.get(1), s.touched)
	}
	s.reset()
	if s.get(2) != 0 || len(s.touched) != 0 {
		t.Error("a sum outlives a reset")
	}
}
