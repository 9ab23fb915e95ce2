package ranker

import (
	"slices"
	"testing"
)

// TestLate_lift: documents get exactly the last of some places, each once and in
// their order, whatever the names of those around them, and keep them when others
// are lifted after them. Where all score the same they still get places.
func TestLate_lift(t *testing.T) {
	t.Parallel()
	for name, score := range map[string]func(i int) float64{
		"apart": func(i int) float64 { return float64(allPlaces - i) }, "tied": func(int) float64 { return 0.3 },
	} {
		w := &work{needed: map[int32]claim{}, candidateOf: newMarks(100), whole: &view{words: newScores(100)}}
		w.candidateOf.reset()
		l := &late{w: w}
		for i := range allPlaces {
			l.ranked = append(l.ranked, scored{score(i), int32(i)})
		}
		first, second := l.ranked[firstPlaces-3].score, l.ranked[firstPlaces-2].score
		docs := func(of ...int32) (list []wanted) {
			for _, doc := range of {
				list = append(list, wanted{scored{0, doc}, 0, ""})
			}
			return list
		}
		if rest := l.lift(docs(40, 3, 40, 20, 41), firstPlaces, 2); !slices.Equal(rest, docs(41)) {
			t.Errorf("%s: left %v", name, rest)
		}
		a, b := w.needed[40].score, w.needed[20].score
		if a <= b || b <= second || name == "apart" && first <= a {
			t.Errorf("%s: %v and %v between %v and %v", name, a, b, first, second)
		}
		l.lift(docs(40, 50, 50, 41, 51), allPlaces, 2)
		var got []int32
		for _, s := range l.ranked {
			got = append(got, s.doc)
		}
		want := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 40, 20, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 50, 41}
		if !slices.Equal(got, want) || w.needed[40].score != a || w.needed[51].score != 0 {
			t.Errorf("%s: got %v, want %v; %v", name, got, want, w.needed)
		}
	}
}

// TestLate_turns: the sentences of a long message that are about one server have one
// turn together, and a server that has no tool yet comes before a further one of
// those that have.
func TestLate_turns(t *testing.T) {
	t.Parallel()
	const perServer = 10 // document 23 is the third of server 2
	x := &fusionIndex{servers: &serverIndex{}}
	for doc := range int32(400) {
		x.servers.of = append(x.servers.of, doc/perServer)
	}
	l := &late{w: &work{x: x}}
	for doc := range int32(allPlaces) {
		l.ranked = append(l.ranked, scored{1, doc}) // servers 0 and 1 are among the first
	}
	l.w.steps.ranked = [][]int32{
		{50, 51, 0}, {52, 53}, {60, 70, 90}, {1, 2}, {15, 16, 80}, nil,
	}
	var got []int32
	for _, d := range l.turns() {
		got = append(got, d.doc)
	}
	// 52 is the second of server 5's sentences; 70 and 90 are first tools, 80 too.
	if want := []int32{50, 60, 70, 90, 80, 15, 52, 16, 51, 53}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	l.w.steps.ranked = nil
	for doc := int32(100); doc < 400; doc += perServer {
		l.w.steps.ranked = append(l.w.steps.ranked, []int32{doc, doc + 1})
	}
	got = nil
	for _, d := range l.turns() {
		got = append(got, d.doc)
	}
	if len(got) != allPlaces-firstPlaces || slices.ContainsFunc(got, func(doc int32) bool { return doc%perServer != 0 }) {
		t.Errorf("of thirty servers: %v", got)
	}
}
