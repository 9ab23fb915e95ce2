package ranker

import (
	"math"
	"math/bits"
)

// matrix holds one vector a document, in rows, with what a scan over them
// needs. It is immutable. A document without a vector has a row of zeros.
type matrix struct {
	dim  int
	rows []float32
	// known says which documents have a vector.
	known []bool
	// mean is the average of the known rows. A similarity is judged by how
	// far it rises above the similarity with the mean.
	mean []float32
	// signs holds a bit for each element of each row, set when the element is
	// above the mean's, words uint64s a row. Rows whose bits differ in few
	// places from a query's are near it, and comparing bits costs a fiftieth
	// of a dot product.
	signs []uint64
	words int
}

// newMatrix returns the matrix of rows, which hold n vectors of unit length
// or zero.
func newMatrix(dim, n int, rows []float32, known []bool) *matrix {
	m := &matrix{dim: dim, rows: rows, known: known, words: (dim + 63) / 64}
	m.mean = make([]float32, dim)
	sums := make([]float64, dim)
	count := 0
	for i := range n {
		if !known[i] {
			continue
		}
		count++
		for k, v := range m.row(i) {
			sums[k] += float64(v)
		}
	}
	for k := range sums {
		m.mean[k] = float32(sums[k] / float64(max(1, count)))
	}
	m.signs = make([]uint64, n*m.words)
	for i := range n {
		m.sign(m.signs[i*m.words:(i+1)*m.words], m.row(i))
	}
	return m
}

func (m *matrix) row(i int) []float32 { return m.rows[i*m.dim : (i+1)*m.dim] }

// sign writes the bits of v to dst, which has words elements. A bit is the
// sign of mean−x, read off its representation: a branch would be mispredicted
// half the time.
func (m *matrix) sign(dst []uint64, v []float32) {
	mean := m.mean[:len(v)]
	for w := range dst {
		from, to := w*64, min(w*64+64, len(v))
		word := uint64(0)
		for k := from; k < to; k++ {
			word |= uint64(math.Float32bits(mean[k]-v[k])>>31) << (k - from)
		}
		dst[w] = word
	}
}

// distances writes to dst, for each document, in how many bits it differs
// from the query's.
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
