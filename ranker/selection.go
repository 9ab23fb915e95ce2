package ranker

const (
	// poolSize is how many documents of each list, words and meaning, a view scores in
	// full. The thirtieth place of a fused answer is within the first hundred of either
	// list, and the ninetieth nearly always within both together; the rest is margin.
	poolSize = 128
	// stepPool is the same for one step of the message, which needs only a few tools.
	stepPool = 48
)

// selection is what the views of one query share to choose the documents that they score:
// which may be returned, and buffers.
type selection struct {
	// allowed caches Query.Eligible for each document; filtered reports whether there is
	// one.
	allowed  []bool
	filtered bool
	// exhaustive reports that every document is scored, for a long answer.
	exhaustive bool

	seen      marks
	best      bestDocs
	distances []uint16
	// histogram counts documents by distance; it grows with the vectors.
	histogram []int
}

func newSelection(n int) selection {
	return selection{allowed: make([]bool, n), distances: make([]uint16, n), seen: newMarks(n)}
}

// reset takes over which documents a query allows, and how many it asks for.
func (s *selection) reset(q *Query) {
	s.filtered = q.Eligible != nil
	if s.filtered {
		for doc := range s.allowed {
			s.allowed[doc] = q.Eligible(doc)
		}
	}
	s.exhaustive = q.Limit <= 0 || q.Limit > poolSize*3/4
}

// admits reports whether a document may be returned.
func (s *selection) admits(doc int32) bool { return !s.filtered || s.allowed[doc] }
