package process

import (
	"maps"
	"testing"
)

func TestWithDescendants(t *testing.T) {
	t.Parallel()
	parents := map[int]int{
		0: 0, // as on Windows, its own parent
		1: 0, 2: 1, 3: 2, 4: 1,
		// Each was started by what had the other's number.
		7: 8, 8: 7,
	}
	bytes := map[int]int64{0: 1, 1: 10, 2: 100, 3: 1000, 4: 10_000, 7: 7, 8: 8}
	read := map[int]bool{}
	of := func(pid int) int64 {
		read[pid] = true
		return bytes[pid]
	}
	if got := withDescendants(parents, of, []int{2, 99}); !maps.Equal(got, map[int]int64{2: 1100}) || len(read) != 2 {
		t.Errorf("got %v of %v; want those that count alone", got, read)
	}
	got := withDescendants(parents, of, []int{0, 1, 2, 3, 7, 99})
	want := map[int]int64{0: 11_111, 1: 11_110, 2: 1100, 3: 1000, 7: 15}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
