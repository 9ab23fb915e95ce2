package synthetic

import (
	"reflect"
	"testing"
)

func TestCatalogue_IsTheSameForTheSameArguments(t *testing.T) {
	t.Parallel()
	a, b := Catalogue(500, 1), Catalogue(500, 1)
	if !reflect.DeepEqual(a, b) {
		t.Error("two catalogues of the same size and seed differ")
	}
	if reflect.DeepEqual(a, Catalogue(500, 2)) {
		t.Error("another seed gives the same catalogue")
	}
	if !reflect.DeepEqual(Messages(9, 3), Messages(9, 3)) {
		t.Error("two lists of messages of the same seed differ")
	}
}

func TestCatalogue_IDsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range Catalogue(2000, 1) {
		if seen[d.ID] {
			t.Fatalf("two documents with ID %q", d.ID)
		}
		seen[d.ID] = true
	}
}
