package embed

import (
	"fmt"
	"math"
)

// checkVectors normalizes the vectors of one response, in place. It returns an error if
// there is not one for each of n texts, their dimensions differ, or one has no direction.
func checkVectors(vectors [][]float32, n int) error {
	if len(vectors) != n {
		return fmt.Errorf("%d vectors for %d texts", len(vectors), n)
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) > maxDim || len(v) != len(vectors[0]) {
			return fmt.Errorf("vector %d has dimension %d, the first has %d", i, len(v), len(vectors[0]))
		}
		if !normalize(v) {
			return fmt.Errorf("vector %d is zero or not finite", i)
		}
	}
	return nil
}

// normalize scales v to unit length, and returns false if that is impossible.
func normalize(v []float32) bool {
	var square float64
	for _, f := range v {
		square += float64(f) * float64(f)
	}
	if !(square > 0) || math.IsInf(square, 0) {
		return false
	}
	inverse := 1 / math.Sqrt(square)
	for i, f := range v {
		v[i] = float32(float64(f) * inverse)
	}
	return true
}
