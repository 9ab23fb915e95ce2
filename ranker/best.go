package ranker

import (
	"cmp"
	"slices"
	"strings"
)

// bestDocs keeps the documents with the highest scores.
type bestDocs struct {
	limit int
	// docs breaks ties by the documents' Server, Name and ID. If it is nil, they are
	// broken by ordinal.
	docs []Document
	kept []scored
}

type scored struct {
	score float64
	doc   int32
}

// newBestDocs keeps limit of n documents, or all if limit is 0 or less.
func newBestDocs(docs []Document, limit, n int) *bestDocs {
	if limit <= 0 || limit > n {
		limit = n
	}
	return &bestDocs{limit: limit, docs: docs, kept: make([]scored, 0, limit)}
}

func (b *bestDocs) reset(limit int) { b.limit, b.kept = limit, b.kept[:0] }

// orderOf compares two documents, the better first.
func orderOf(docs []Document, a, b scored) int {
	switch {
	case a.score != b.score: // nearly always: the names need not be read
		return cmp.Compare(b.score, a.score)
	case docs == nil:
		return cmp.Compare(a.doc, b.doc)
	}
	x, y := &docs[a.doc], &docs[b.doc]
	return cmp.Or(strings.Compare(x.Server, y.Server), strings.Compare(x.Name, y.Name), strings.Compare(x.ID, y.ID))
}

// sortScored sorts documents, the best first.
func sortScored(docs []Document, list []scored) {
	slices.SortFunc(list, func(a, b scored) int { return orderOf(docs, a, b) })
}

// sorted returns the kept documents, best first. No more can be offered then.
func (b *bestDocs) sorted() []scored {
	sortScored(b.docs, b.kept)
	return b.kept
}

// worse reports whether x is to be dropped before y.
func (b *bestDocs) worse(x, y scored) bool {
	return x.score < y.score || x.score == y.score && orderOf(b.docs, x, y) > 0
}

// offer keeps the document if it is among the best so far. Once full, kept is a heap with
// the worst first.
func (b *bestDocs) offer(score float64, doc int32) {
	if len(b.kept) == b.limit && b.limit > 0 && score < b.kept[0].score {
		return // nearly always
	}
	b.keep(scored{score, doc})
}

func (b *bestDocs) keep(s scored) {
	if len(b.kept) < b.limit {
		b.kept = append(b.kept, s)
		if len(b.kept) == b.limit {
			for i := b.limit/2 - 1; i >= 0; i-- {
				b.sink(i)
			}
		}
		return
	}
	if b.limit > 0 && b.worse(b.kept[0], s) {
		b.kept[0] = s
		b.sink(0)
	}
}

func (b *bestDocs) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(b.kept) {
			return
		}
		if child+1 < len(b.kept) && b.worse(b.kept[child+1], b.kept[child]) {
			child++
		}
		if !b.worse(b.kept[child], b.kept[i]) {
			return
		}
		b.kept[i], b.kept[child] = b.kept[child], b.kept[i]
		i = child
	}
}

// matches returns documents as matches.
func matches(list []scored) []Match {
	found := make([]Match, len(list))
	for i, s := range list {
		found[i] = Match{Doc: int(s.doc), Score: s.score}
	}
	return found
}
