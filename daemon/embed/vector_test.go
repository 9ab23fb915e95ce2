package embed

import (
	"math"
	"slices"
	"testing"
)

// unit reports whether v has length 1.
func unit(v []float32) bool {
	var square float64
	for _, f := range v {
		square += float64(f) * float64(f)
	}
	return math.Abs(square-1) < 1e-4
}

func TestCheckVectors(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name    string
		vectors [][]float32
		n       int
		ok      bool
	}{
		{"good", [][]float32{{3, 4}, {-1, 0}}, 2, true},
		{"large", [][]float32{{math.MaxFloat32, math.MaxFloat32}}, 1, true},
		{"tiny", [][]float32{{1e-30, 0}}, 1, true},
		{"none", nil, 0, true},
		{"too few", [][]float32{{1}}, 2, false},
		{"too many", [][]float32{{1}, {1}}, 1, false},
		{"empty", [][]float32{{}}, 1, false},
		{"absent", [][]float32{{1}, nil}, 2, false},
		{"two dimensions", [][]float32{{1}, {1, 0}}, 2, false},
		{"zero", [][]float32{{0, 0}}, 1, false},
		{"not a number", [][]float32{{1, nan}}, 1, false},
		{"infinite", [][]float32{{1, inf}}, 1, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if err := checkVectors(test.vectors, test.n); (err == nil) != test.ok {
				t.Fatalf("checkVectors: %v", err)
			}
			if test.ok && slices.ContainsFunc(test.vectors, func(v []float32) bool { return !unit(v) }) {
				t.Errorf("not of unit length: %v", test.vectors)
			}
		})
	}
}
