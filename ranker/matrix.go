package ranker

import (
	"math"
	"math/bits"
	"slices"
)

// matrix holds one vector per document, its row, and the data for scanning them. It is
// immutable.
type matrix struct {
	dim int
	// rows holds vectors of unit length, nil for a document without one. Versions share
	// the rows of unchanged documents.
	rows [][]float32
	// mean is the average of the rows. A similarity is judged by its rise above the
	// similarity with the mean.
	mean []float32
	// signs holds one bit per element of each row, set if the element is above the
	// mean's, in words uint64s per row. Similar rows differ in few bits, and comparing
	// bits costs a fiftieth of a dot product.
	signs []uint64
	words int
	// full reports that every document has a vector.
	full bool
}

// newMatrix returns the matrix of rows.
func newMatrix(dim int, rows [][]float32) *matrix {
	m := &matrix{dim: dim, rows: rows, mean: mean(dim, rows), words: (dim + 63) / 64}
	m.full = !slices.ContainsFunc(rows, func(row []float32) bool { return row == nil })
	m.signs = make([]uint64, len(rows)*m.words)
	eachChunk(len(rows), func() func(from, to int) {
		return func(from, to int) {
			for i, row := range rows[from:to] {
				if row != nil {
					m.sign(m.signs[(from+i)*m.words:(from+i+1)*m.words], row)
				}
			}
		}
	})
	return m
}

// mean returns the average of the rows that are there, zeros when none is.
func mean(dim int, rows [][]float32) []float32 {
	sums, count := make([]float64, dim), 0
	for _, row := range rows {
		if row == nil {
			continue
		}
		count++
		for k, v := range row[:len(sums)] {
			sums[k] += float64(v)
		}
	}
	average := make([]float32, dim)
	for k := range sums {
		average[k] = float32(sums[k] / float64(max(1, count)))
	}
	return average
}

// has reports whether a document has a vector.
func (m *matrix) has(doc int32) bool { return m.rows[doc] != nil }

// sign writes the bits of v to dst, which has words elements. A bit is the sign of
// mean−x, taken from its representation, because a branch would be mispredicted half the
// time.
func (m *matrix) sign(dst []uint64, v []float32) {
	mean := m.mean[:len(v)]
	for w := range dst {
		from, to := w*64, min(w*64+64, len(v))
		word := uint64(0)
		for k := to - 1; k >= from; k-- {
			word = word<<1 | uint64(math.Float32bits(mean[k]-v[k])>>31)
		}
		dst[w] = word
	}
}

// distances writes to dst the number of bits in which each document differs from the
// query.
func (m *matrix) distances(dst []uint16, query []uint64) {
	if m.words == 4 { // 256 dimensions, the built-in model's
		q0, q1, q2, q3 := query[0], query[1], query[2], query[3]
		for i := range dst {
			s := m.signs[i*4 : i*4+4 : i*4+4]
			dst[i] = uint16(bits.OnesCount64(s[0]^q0) + bits.OnesCount64(s[1]^q1) +
				bits.OnesCount64(s[2]^q2) + bits.OnesCount64(s[3]^q3))
		}
		return
	}
	for i := range dst {
		n := 0
		for k, q := range query {
			n += bits.OnesCount64(m.signs[i*m.words+k] ^ q)
		}
		dst[i] = uint16(n)
	}
}

// dot is the inner product of two vectors of equal length. Every product is
// rounded by itself and the order of the sums is fixed, so that processors
// with and without fused multiply-add agree to the last bit.
func dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
	}
	for ; i < len(a); i++ {
		s0 += float32(a[i] * b[i])
	}
	return float64((s0 + s1) + (s2 + s3))
}

// normalise brings v to unit length. It returns false, and leaves zeros, when
// v has no direction: all zeros, or a NaN or an infinity among its elements.
func normalise(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		clear(v)
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for k := range v {
		v[k] = float32(float64(v[k]) * scale)
	}
	return true
}
