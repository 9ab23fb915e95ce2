package ranker

// scores is a sum for each document with a matching term, cleared in constant time.
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

// addTerms adds the impacts of all postings of the terms.
func (s *scores) addTerms(x *index, terms []queryTerm) {
	sums, epochs, epoch := s.sums, s.seen.epochs, s.seen.epoch
	for _, t := range terms {
		docs, impacts := x.postings(t.term)
		impacts = impacts[:len(docs)]
		for k, doc := range docs {
			if epochs[doc] != epoch {
				epochs[doc], sums[doc] = epoch, 0
				s.touched = append(s.touched, int32(doc))
			}
			sums[doc] += float64(t.weight * float64(impacts[k]))
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
