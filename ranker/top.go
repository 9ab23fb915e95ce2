package ranker

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
)

// top keeps the best matches offered to it, at most limit, by score, then by the server,
// the name and the ID of the document.
type top struct {
	docs  []Document
	limit int
	// worst is a heap with the worst kept match first.
	worst worstFirst
}

// worstFirst is a heap of matches.
type worstFirst struct {
	docs    []Document
	matches []Match
}

func (w *worstFirst) Len() int { return len(w.matches) }
func (w *worstFirst) Less(i, j int) bool {
	return compareMatches(w.docs, w.matches[i], w.matches[j]) > 0
}
func (w *worstFirst) Swap(i, j int) { w.matches[i], w.matches[j] = w.matches[j], w.matches[i] }
func (w *worstFirst) Push(any)      { panic("ranker: top appends by itself") }
func (w *worstFirst) Pop() any      { panic("ranker: top never pops") }

// newTop returns a top of limit matches out of n candidates; a limit of 0 or less keeps
// all.
func newTop(docs []Document, limit, n int) *top {
	if limit <= 0 || limit > n {
		limit = n
	}
	return &top{docs: docs, limit: limit, worst: worstFirst{docs: docs, matches: make([]Match, 0, limit)}}
}

// compareMatches compares two matches, the better first.
func compareMatches(docs []Document, a, b Match) int {
	if a.Score != b.Score { // nearly always: the IDs need not be read
		return cmp.Compare(b.Score, a.Score)
	}
	x, y := &docs[a.Doc], &docs[b.Doc]
	return cmp.Or(strings.Compare(x.Server, y.Server), strings.Compare(x.Name, y.Name), strings.Compare(x.ID, y.ID))
}

// sortMatches puts matches in order.
func sortMatches(docs []Document, matches []Match) {
	slices.SortFunc(matches, func(a, b Match) int { return compareMatches(docs, a, b) })
}

// offer keeps m when it is among the best so far.
func (t *top) offer(m Match) {
	kept := &t.worst.matches
	switch {
	case len(*kept) < t.limit:
		*kept = append(*kept, m)
		if len(*kept) == t.limit {
			heap.Init(&t.worst)
		}
	case t.limit > 0 && m.Score >= (*kept)[0].Score && compareMatches(t.docs, m, (*kept)[0]) < 0:
		(*kept)[0] = m
		heap.Fix(&t.worst, 0)
	}
}

// take returns the kept matches, best first.
func (t *top) take() []Match {
	sortMatches(t.docs, t.worst.matches)
	return t.worst.matches
}
