package ranker

const (
	// poolSize is how many documents of each list, words and meaning, a view scores in
	// full. The thirtieth place of a fused answer is within the first hundred of either
	// list, and the ninetieth nearly always within both together; the rest is margin.
	poolSize = 128
	// stepPool is the same for one step of the message, which needs only a few tools.
	stepPool = 48
)

// admission is which documents a query may return. The views of the query share it.
type admission struct {
	// allowed caches Query.Eligible for each document; filtered reports whether there is
	// one.
	allowed  []bool
	filtered bool
	// exhaustive reports that every document is scored, for a long answer.
	exhaustive bool
}

// reset takes over which documents a query allows, and how many it asks for.
func (a *admission) reset(q *Query) {
	a.filtered = q.Eligible != nil
	if a.filtered {
		for doc := range a.allowed {
			a.allowed[doc] = q.Eligible(doc)
		}
	}
	a.exhaustive = q.Limit <= 0 || q.Limit > poolSize*3/4
}

// admits reports whether a document may be returned.
func (a *admission) admits(doc int32) bool { return !a.filtered || a.allowed[doc] }

// selection holds the buffers with which a view chooses the documents that it scores.
type selection struct {
	*admission
	seen      marks
	best      bestDocs
	distances []uint16
	// histogram counts documents by distance; it grows with the vectors.
	histogram []int
}

func newSelection(a *admission) selection {
	n := len(a.allowed)
	return selection{admission: a, distances: make([]uint16, n), seen: newMarks(n)}
}
