package ranker

import "cmp"

// bestDocs keeps the documents with the highest scores; ties are broken by ordinal.
type bestDocs struct {
	limit int
	kept  []scored
}

type scored struct {
	score float64
	doc   int32
}

func (b *bestDocs) reset(limit int) { b.limit, b.kept = limit, b.kept[:0] }

// worse reports whether a is to be dropped before b.
func (a scored) worse(b scored) bool {
	return a.score < b.score || a.score == b.score && a.doc > b.doc
}

// order compares two documents, the better first.
func (a scored) order(b scored) int {
	if a.score != b.score { // nearly always
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Compare(a.doc, b.doc)
}

// offer keeps the document if it is among the best so far. Once full, kept is a heap with
// the worst first.
func (b *bestDocs) offer(score float64, doc int32) {
	s := scored{score, doc}
	if len(b.kept) < b.limit {
		b.kept = append(b.kept, s)
		if len(b.kept) == b.limit {
			for i := b.limit/2 - 1; i >= 0; i-- {
				b.sink(i)
			}
		}
		return
	}
	if b.limit > 0 && b.kept[0].worse(s) {
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
		if child+1 < len(b.kept) && b.kept[child+1].worse(b.kept[child]) {
			child++
		}
		if !b.kept[child].worse(b.kept[i]) {
			return
		}
		b.kept[i], b.kept[child] = b.kept[child], b.kept[i]
		i = child
	}
}
