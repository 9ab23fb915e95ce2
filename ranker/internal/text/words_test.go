package text

import (
	"slices"
	"testing"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"", ""}, {"ABC xyz 12", "abc xyz 12"}, {"ÀÉÎõü", "aeiou"}, {"İstanbul ılık", "istanbul ilik"},
		{"Łódź Ærø", "lodz aero"}, {"ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"}, {"ＦＵＬＬ", "full"}, {"½", "1⁄2"},
		{"한국어", "한국어"}, {"שָׁלוֹם", "שלום"}, {"कि", "कि"}, {"a\xff", "a\uFFFD"},
	} {
		if got := Fold(test.in); got != test.want {
			t.Errorf("Fold(%q) = %q, want %q", test.in, got, test.want)
		}
		if again := Fold(Fold(test.in)); again != Fold(test.in) {
			t.Errorf("folding %q twice gives %q", test.in, again)
		}
	}
}

func TestIsFiller(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"please", "could", "want", "help"} {
		if !IsFiller(word) {
			t.Errorf("%q is not filler", word)
		}
	}
	for _, word := range []string{"send", "list", "create", "find", "search", "get", "delete", "run", "file", ""} {
		if IsFiller(word) {
			t.Errorf("%q is filler", word)
		}
	}
}

func TestSynonymPairs_NoWordItself(t *testing.T) {
	t.Parallel()
	pairs := SynonymPairs()
	said := map[string]bool{}
	for word := range plain {
		said[Stem(word)] = true
	}
	for _, p := range pairs {
		if p.Stem == p.Other {
			t.Errorf("%q stands for itself", p.Stem)
		}
		if !slices.Contains(pairs, Pair{p.Other, p.Stem}) && !said[p.Stem] {
			t.Errorf("%q stands for %q but not the other way round", p.Other, p.Stem)
		}
	}
	for _, want := range []Pair{{"make", "creat"}, {"rm", "delet"}, {"list", "enumer"}, {"stick", "write"}} {
		if !slices.Contains(pairs, want) {
			t.Errorf("%v is missing", want)
		}
	}
}
