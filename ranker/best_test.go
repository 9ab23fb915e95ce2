package ranker

import (
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
		order := func(x, y scored) int {
			if y.worse(x) {
				return -1
			}
			return 1
		}
		slices.SortFunc(all, order)
		slices.SortFunc(b.kept, order)
		if want := all[:min(limit, len(all))]; !slices.Equal(b.kept, want) {
			t.Errorf("limit %d keeps %v, want %v", limit, b.kept, want)
		}
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
