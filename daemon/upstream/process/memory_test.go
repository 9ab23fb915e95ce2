package process

import (
	"maps"
	"testing"
)

func TestWithDescendants(t *testing.T) {
	t.Parallel()
	table := map[int]usage{
		0: {0, 1}, // as on Windows, its own parent
		1: {0, 10}, 2: {1, 100}, 3: {2, 1000}, 4: {1, 10_000},
		// Each was started by what had the other's number.
		7: {8, 7}, 8: {7, 8},
	}
	got := withDescendants(table, []int{0, 1, 2, 3, 7, 99})
	want := map[int]int64{0: 11_111, 1: 11_110, 2: 1100, 3: 1000, 7: 15}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
