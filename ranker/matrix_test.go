package ranker

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomMatrix returns n unit rows of dim dimensions around a common direction,
// as real embeddings lie.
func randomMatrix(n, dim int) *matrix {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	rows := make([][]float32, n)
	for i := range rows {
		row := make([]float32, dim)
		for k := range row {
			row[k] = float32(rng.NormFloat64()) + 0.3
		}
		if normalise(row) {
			rows[i] = row
		}
	}
	return newMatrix(dim, rows)
}

func TestDot(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 3, 4, 5, 8, 255, 256} {
		a, b := make([]float32, n), make([]float32, n)
		want := 0.0
		for i := range a {
			a[i], b[i] = float32(i), float32(i%7)
			want += float64(i * (i % 7))
		}
		if got := dot(a, b); got != want {
			t.Errorf("dot of %d elements = %v, want %v", n, got, want)
		}
	}
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, test := range []struct {
		in, want []float32
		ok       bool
	}{
		{[]float32{3, 4}, []float32{0.6, 0.8}, true},
		{[]float32{0, 0}, []float32{0, 0}, false},
		{[]float32{1, nan}, []float32{0, 0}, false},
		{[]float32{inf, 1}, []float32{0, 0}, false},
		{[]float32{}, []float32{}, false},
		{[]float32{1e30, 0}, []float32{1, 0}, true},
	} {
		got := slices.Clone(test.in)
		if ok := normalise(got); ok != test.ok || !slices.Equal(got, test.want) {
			t.Errorf("normalise(%v) = %v, %v, want %v, %v", test.in, got, ok, test.want, test.ok)
		}
	}
}

// Bits are set where the element is above the mean; a row's distance from
// itself is 0, and both ways of counting agree.
func TestMatrix_Distances(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{3, 64, 100, 256, 384} {
		m := randomMatrix(50, dim)
		query := make([]uint64, m.words)
		m.sign(query, m.rows[7])
		got := make([]uint16, 50)
		m.distances(got, query)
		for i := range got {
			want := 0
			for k := range dim {
				if (m.rows[i][k] > m.mean[k]) != (m.rows[7][k] > m.mean[k]) {
					want++
				}
			}
			if int(got[i]) != want {
				t.Fatalf("dim %d: row %d is %d bits away, want %d", dim, i, got[i], want)
			}
		}
	}
}

// What the bits pick holds what the exact similarity would have picked.
func TestSimilarity_NearestFindsTheTrulyNearest(t *testing.T) {
	t.Parallel()
	const n, pool, wanted = 5000, poolSize, 10
	m := randomMatrix(n, 256)
	chosen := newSelection(&admission{allowed: make([]bool, n)})
	rng := rand.New(rand.NewPCG(5, 5))
	found, all := 0, 0
	for q := range 20 {
		vector := slices.Clone(m.rows[q*100])
		for k := range vector {
			vector[k] += float32(rng.NormFloat64()) * 0.08 // a message is not its tool
		}
		var s similarity
		s.open(m)
		s.take(vector)
		picked := map[int32]bool{}
		s.nearest(&chosen, pool, func(doc int32) { picked[doc] = true })
		order := make([]int32, n)
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortFunc(order, func(a, b int32) int {
			if s.cosine(a) > s.cosine(b) {
				return -1
			}
			return 1
		})
		if !picked[order[0]] {
			t.Errorf("query %d: the nearest row was not picked", q)
		}
		for _, doc := range order[:wanted] {
			all++
			if picked[doc] {
				found++
			}
		}
	}
	if share := float64(found) / float64(all); share < 0.5 {
		t.Errorf("%.2f of the ten nearest were picked, want at least half even on rows without any order", share)
	}
}
