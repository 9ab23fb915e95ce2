package bank

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Vector is a text's embedding as the bank compares it: in whole numbers, so
// that every processor finds the same.
type Vector struct {
	elements []int8
	norm     int32
	sketch   sketch
}

// sketch holds for each of a vector's first elements whether it is above the
// mean's. Vectors whose sketches differ in few places are near each other.
type sketch [sketchBits / 64]uint64

// distance is in how many places two sketches differ.
func (s *sketch) distance(o *sketch) int32 {
	return int32(bits.OnesCount64(s[0]^o[0]) + bits.OnesCount64(s[1]^o[1]) + bits.OnesCount64(s[2]^o[2]) + bits.OnesCount64(s[3]^o[3]))
}

// Neighbour is an entry with its similarity, the cosine between a text's vector
// and that of what is said of the tool.
type Neighbour struct {
	Entry      int
	Similarity float64
}

// Dim is the length of the embedder's vectors that the bank was compiled with.
func (b *Bank) Dim() int { return b.dim }

// Weights appends to dst how much each of the tokens counts in a text that is
// compared with the bank; see Compile.
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

// quantise returns the elements of a vector as multiples of a 127th of the
// largest. The cosine does not depend on their scale.
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

// considered is how many entries Near compares in full, the first by sketch,
// for each that it returns.
const considered = 12

// Near returns the n entries nearest to a vector, the nearest first. It finds
// them by their sketches, and may miss one that is hardly nearer than others.
func (b *Bank) Near(v Vector, n int) []Neighbour {
	var room [512]candidate
	candidates, limit := b.likely(room[:0], &v.sketch, n*considered)
	found := make([]Neighbour, 0, 2*n*considered)
	for _, c := range candidates {
		if c.distance <= limit {
			found = append(found, Neighbour{int(c.entry), b.Similarity(int(c.entry), v)})
		}
	}
	slices.SortFunc(found, func(x, y Neighbour) int {
		return cmp.Or(cmp.Compare(y.Similarity, x.Similarity), cmp.Compare(x.Entry, y.Entry))
	})
	return found[:min(n, len(found))]
}

// candidate is an entry with how far its sketch is.
type candidate struct {
	entry    int32
	distance int32
}

// likely appends to candidates the entries whose sketches differ least, and some
// more; within limit lie n of them, and those as far as the last.
func (b *Bank) likely(candidates []candidate, s *sketch, n int) (likely []candidate, limit int32) {
	var counts [sketchBits + 1]int // of candidates by distance
	limit, within := sketchBits, 0 // within is how many are no farther than limit
	for i := range b.sketches {
		d := b.sketches[i].distance(s)
		if d > limit || !b.has(i) {
			continue
		}
		candidates = append(candidates, candidate{int32(i), d})
		counts[d]++
		for within++; within-counts[limit] >= n; limit-- {
			within -= counts[limit]
		}
	}
	return candidates, limit
}
