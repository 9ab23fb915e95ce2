package ranker

import "slices"

// similarity compares one vector with the rows of a matrix.
type similarity struct {
	matrix *matrix
	// vector is of unit length; bits holds its signs in the matrix's format.
	vector []float32
	bits   []uint64
	// tokens and weights are buffers of read.
	tokens  []int32
	weights []float32
	// active reports that there is a vector to compare.
	active bool
	// mean is the similarity with the mean row, best the highest of the pool.
	mean, best float64
	// cosines holds the similarities computed so far, those marked in computed.
	cosines  []float64
	computed marks
}

// open sets the matrix to compare with; m may be nil.
func (s *similarity) open(m *matrix) {
	s.matrix, s.active = m, false
	if m == nil {
		return
	}
	if len(s.vector) != m.dim {
		s.vector, s.bits = make([]float32, m.dim), make([]uint64, m.words)
	}
	if len(s.cosines) != len(m.rows) {
		s.cosines, s.computed = make([]float64, len(m.rows)), newMarks(len(m.rows))
	}
	s.computed.reset()
}

// read sets the vector of a text, with tokens weighted as in the documents.
func (s *similarity) read(e *embedded, text string) {
	if s.matrix == nil {
		return
	}
	head, _ := clipQuery(text)
	s.tokens = e.options.embedder.Tokens(s.tokens[:0], head)
	s.weights = e.commonness.append(s.weights[:0], s.tokens)
	s.active = e.options.embedder.Embed(s.vector, s.tokens, s.weights)
	s.prepare()
}

// take sets a vector that came with the query. It ignores one of another dimension, which
// is from another model.
func (s *similarity) take(vector []float32) {
	if s.matrix == nil || len(vector) != s.matrix.dim {
		return
	}
	copy(s.vector, vector)
	s.active = normalise(s.vector)
	s.prepare()
}

func (s *similarity) prepare() {
	if !s.active {
		return
	}
	s.matrix.sign(s.bits, s.vector)
	s.mean = dot(s.vector, s.matrix.mean)
}

// nearest calls yield for the documents whose rows are likely nearest: about pool of
// them, or all if there are no more.
func (s *similarity) nearest(w *selection, pool int, yield func(doc int32)) {
	if !s.active {
		return
	}
	if n := int32(len(s.matrix.rows)); int(n) <= pool {
		for doc := range n {
			if s.matrix.has(doc) && w.admits(doc) {
				yield(doc)
			}
		}
		return
	}
	s.matrix.distances(w.distances, s.bits)
	limit := s.farthest(w, pool)
	for doc, d := range w.distances {
		if d <= limit && s.matrix.has(int32(doc)) && w.admits(int32(doc)) {
			yield(int32(doc))
		}
	}
}

// farthest returns the distance within which at least pool documents are. All at that
// distance are included, so that none is preferred for its ordinal.
func (s *similarity) farthest(w *selection, pool int) uint16 {
	n := s.matrix.words*64 + 1
	w.histogram = slices.Grow(w.histogram[:0], n)[:n]
	counts := w.histogram
	clear(counts)
	if s.matrix.full && !w.filtered {
		for _, d := range w.distances {
			counts[d]++
		}
	} else {
		for doc, d := range w.distances {
			if w.admits(int32(doc)) && s.matrix.has(int32(doc)) {
				counts[d]++
			}
		}
	}
	sum := 0
	for d, c := range counts {
		if sum += c; sum >= pool {
			return uint16(d)
		}
	}
	return uint16(len(counts))
}

// cosine returns the similarity with a document's row.
func (s *similarity) cosine(doc int32) float64 {
	if s.computed.mark(doc) {
		s.cosines[doc] = dot(s.vector, s.matrix.rows[doc])
	}
	return s.cosines[doc]
}

// scale sets best to the pool's highest similarity.
func (s *similarity) scale(pool []int32) {
	if !s.active {
		return
	}
	s.best = s.mean
	for _, doc := range pool {
		if s.matrix.has(doc) {
			s.best = max(s.best, s.cosine(doc))
		}
	}
	s.active = s.best > s.mean
}

// of returns a document's similarity scaled from the mean to the best, between 0 and 1.
func (s *similarity) of(doc int32) float64 {
	if !s.active || !s.matrix.has(doc) {
		return 0
	}
	rise := (s.cosine(doc) - s.mean) / (s.best - s.mean)
	return min(1, max(0, rise))
}
