package bank

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Vector is a text's embedding as the bank compares it: in integers, so that results are
// the same on every processor.
type Vector struct {
	elements []int8
	norm     int32
	sketch   sketch
}

// sketch holds for each of a vector's first elements whether it is above the mean's.
// Similar vectors have sketches that differ in few bits.
type sketch [sketchBits / 64]uint64

// distance returns the number of bits in which two sketches differ.
func (s *sketch) distance(o *sketch) int32 {
	return int32(bits.OnesCount64(s[0]^o[0]) + bits.OnesCount64(s[1]^o[1]) + bits.OnesCount64(s[2]^o[2]) + bits.OnesCount64(s[3]^o[3]))
}

// Neighbour is an entry with its similarity, the cosine between a text's vector and that
// of the tool's phrasings.
type Neighbour struct {
	Entry      int
	Similarity float64
}

// Dim returns the dimension of the vectors that the bank was compiled with.
func (b *Bank) Dim() int { return b.dim }

// Weights appends to dst the weight of each token in a text that is compared with the
// bank; see Compile.
func (b *Bank) Weights(dst []float32, tokens []int32) []float32 {
	for _, t := range tokens {
		weight := float32(1)
		if int(t) < len(b.weights) {
			weight = float32(b.weights[t]) / math.MaxUint8
		}
		dst = append(dst, weight)
	}
	return dst
}

// Vector prepares a unit vector of length Dim.
func (b *Bank) Vector(v []float32) Vector {
	elements := quantise(v)
	return Vector{elements, norm(elements), sketchOf(v, b.mean)}
}

// quantise returns the elements of a vector as multiples of 1/127 of the largest, which
// does not change the cosine.
func quantise(v []float32) []int8 {
	largest := float32(0)
	for _, x := range v {
		largest = max(largest, max(x, -x))
	}
	q := make([]int8, len(v))
	if largest == 0 {
		return q
	}
	for i, x := range v {
		q[i] = int8(math.Round(float64(x/largest) * math.MaxInt8))
	}
	return q
}

// sketchOf returns the sketch of a vector.
func sketchOf(v, mean []float32) (s sketch) {
	for i := range min(len(v), sketchBits) {
		if v[i] > mean[i] {
			s[i/64] |= 1 << (i % 64)
		}
	}
	return s
}

// norm is the sum of the squares of a vector's elements.
func norm(elements []int8) int32 {
	sum := int32(0)
	for _, x := range elements {
		sum += int32(x) * int32(x)
	}
	return sum
}

// Similarity returns the cosine between a vector and an entry's.
func (b *Bank) Similarity(i int, v Vector) float64 {
	row := b.vectors[i*b.dim : (i+1)*b.dim]
	product := int32(0) // of at most 1,024 elements, each at most 127²
	for k, x := range v.elements {
		product += int32(x) * int32(int8(row[k]))
	}
	squares := float64(v.norm) * float64(u32(b.norms, i))
	if squares == 0 {
		return 0
	}
	return float64(product) / math.Sqrt(squares)
}

// considered is how many entries Near compares in full, best by sketch, per returned one.
const considered = 12

// Nearest finds the entries nearest to vectors. It reuses the result for the previous
// vector and is not safe for concurrent use.
type Nearest struct {
	bank *Bank
	// from is the sketch to which distances are computed, by entry.
	from      sketch
	distances []int16
	// order holds the entries by ascending distance; it is computed when needed.
	order      []int32
	candidates []candidate
	found      []Neighbour
}

// Nearest returns a finder of the entries nearest to vectors.
func (b *Bank) Nearest() *Nearest { return &Nearest{bank: b} }

// Near returns the n entries nearest to a vector, nearest first, valid until the next
// call. It selects them by their sketches, and may miss one that is hardly nearer than
// others.
func (s *Nearest) Near(v Vector, n int) []Neighbour {
	limit := s.likely(&v.sketch, n*considered)
	s.found = s.found[:0]
	for _, c := range s.candidates {
		if c.distance <= limit {
			s.found = append(s.found, Neighbour{int(c.entry), s.bank.Similarity(int(c.entry), v)})
		}
	}
	slices.SortFunc(s.found, func(x, y Neighbour) int {
		return cmp.Or(cmp.Compare(y.Similarity, x.Similarity), cmp.Compare(x.Entry, y.Entry))
	})
	return s.found[:min(n, len(s.found))]
}

// candidate is an entry with the distance of its sketch.
type candidate struct{ entry, distance int32 }

// moved is the greatest distance from the previous sketch at which its result is reused.
// Tools of one server, and of similar servers, often have similar texts.
const moved = 32

// likely fills candidates with the entries whose sketches differ least, and some more. At
// least n of them are within limit.
func (s *Nearest) likely(to *sketch, n int) (limit int32) {
	s.candidates = s.candidates[:0]
	var counts [sketchBits + 1]int // of candidates by distance
	limit, within := sketchBits, 0 // within is how many are no farther than limit
	offer := func(i, d int32) {
		s.candidates = append(s.candidates, candidate{i, d})
		counts[d]++
		for within++; within-counts[limit] >= n; limit-- {
			within -= counts[limit]
		}
	}
	sketches := s.bank.sketches
	if by := s.from.distance(to); len(s.distances) > 0 && by <= moved {
		for _, i := range s.ordered() {
			if int32(s.distances[i])-by > limit { // and so are all that follow
				break
			}
			if d := sketches[i].distance(to); d <= limit && s.bank.has(int(i)) {
				offer(i, d)
			}
		}
		return limit
	}
	s.from, s.order = *to, s.order[:0]
	s.distances = slices.Grow(s.distances[:0], len(sketches))[:len(sketches)]
	for i := range sketches {
		d := sketches[i].distance(to)
		s.distances[i] = int16(d)
		if d <= limit && s.bank.has(i) {
			offer(int32(i), d)
		}
	}
	return limit
}

// ordered returns the entries by their distance from the previous sketch.
func (s *Nearest) ordered() []int32 {
	if len(s.order) > 0 {
		return s.order
	}
	var next [sketchBits + 2]int32
	for _, d := range s.distances {
		next[d+1]++
	}
	for d := range next[1:] {
		next[d+1] += next[d]
	}
	s.order = slices.Grow(s.order, len(s.distances))[:len(s.distances)]
	for i, d := range s.distances {
		s.order[next[d]] = int32(i)
		next[d]++
	}
	return s.order
}
