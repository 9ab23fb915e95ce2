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
	sketch   [sketchBits / 64]uint64
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
	return Vector{quantise(v), sketchOf(v, b.mean)}
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

// sketchOf returns for each of the first elements whether it is above the
// mean's.
func sketchOf(v, mean []float32) (sketch [sketchBits / 64]uint64) {
	for i := range min(len(v), sketchBits) {
		if v[i] > mean[i] {
			sketch[i/64] |= 1 << (i % 64)
		}
	}
	return sketch
}

// Similarity returns the cosine between a vector and an entry's.
func (b *Bank) Similarity(i int, v Vector) float64 {
	row := b.vectors[i*b.dim : (i+1)*b.dim]
	var product, own, others int64
	for k, x := range v.elements {
		y := int64(int8(row[k]))
		product += int64(x) * y
		own += int64(x) * int64(x)
		others += y * y
	}
	if own == 0 || others == 0 {
		return 0
	}
	return float64(product) / math.Sqrt(float64(own*others))
}

// considered is how many entries Near compares in full, the first by sketch,
// for each that it returns.
const considered = 16

// Near returns the n entries nearest to a vector, the nearest first.
func (b *Bank) Near(v Vector, n int) []Neighbour {
	limit := b.farthest(v, n*considered)
	var found []Neighbour
	for i := range b.count {
		if b.has(i) && b.distance(i, &v) <= limit {
			found = append(found, Neighbour{i, b.Similarity(i, v)})
		}
	}
	slices.SortStableFunc(found, func(x, y Neighbour) int { return cmp.Compare(y.Similarity, x.Similarity) })
	return found[:min(n, len(found))]
}

// distance returns in how many bits an entry's sketch differs.
func (b *Bank) distance(i int, v *Vector) int {
	d := 0
	row := b.sketches[i*sketchSize : (i+1)*sketchSize]
	for w, word := range v.sketch {
		d += bits.OnesCount64(word ^ (uint64(u32(row, 2*w)) | uint64(u32(row, 2*w+1))<<32))
	}
	return d
}

// farthest returns the distance within which n entries lie.
func (b *Bank) farthest(v Vector, n int) int {
	var counts [sketchBits + 1]int
	for i := range b.count {
		if b.has(i) {
			counts[b.distance(i, &v)]++
		}
	}
	sum := 0
	for d, c := range counts {
		if sum += c; sum >= n {
			return d
		}
	}
	return sketchBits
}
