package ranker

// scores is a sum for each document that any term touched, forgotten in no
// time between queries.
type scores struct {
	sums    []float64
	seen    marks
	touched []int32
}

func newScores(n int) scores { return scores{sums: make([]float64, n), seen: newMarks(n)} }

// reset forgets all sums.
func (s *scores) reset() {
	s.touched = s.touched[:0]
	s.seen.reset()
}

// add adds value to doc's sum.
func (s *scores) add(doc uint32, value float64) {
	if s.seen.mark(int32(doc)) {
		s.sums[doc] = 0
		s.touched = append(s.touched, int32(doc))
	}
	s.sums[doc] += value
}

// addTerms adds the impacts of all postings of the terms.
func (s *scores) addTerms(x *index, terms []queryTerm) {
	for _, t := range terms {
		docs, impacts := x.postings(t.term)
		for k, doc := range docs {
			s.add(doc, float64(t.weight*float64(impacts[k])))
		}
	}
}

// get returns doc's sum, 0 when no term touched it.
func (s *scores) get(doc int32) float64 {
	if !s.seen.has(doc) {
		return 0
	}
	return s.sums[doc]
}
