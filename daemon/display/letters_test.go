package display

import (
	"strings"
	"testing"
)

// What a person sees as one letter is not cut.
func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"read\n  the notes ", 60, "read the notes"},
		{"abcdefgh", 5, "abcd…"},
		{"abc defgh", 5, "abc…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"👩‍👧👍🏽👩‍👧👍🏽", 3, "👩‍👧👍🏽…"},
		{"abc", 3, "abc"},
		{"", 3, ""},
	} {
		if got := excerpt(c.text, c.n); got != c.want {
			t.Errorf("excerpt(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestBegin(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"abc", 2, "ab"}, {"abc", 3, "abc"}, {"éé", 1, "é"}, {"👩‍👧x", 1, "👩‍👧"}, {"", 2, ""}, {"a", 0, ""}} {
		if got := begin(c.text, c.n); got != c.want {
			t.Errorf("begin(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// A name of any length has its row at once.
func TestFitted_long(t *testing.T) {
	long := strings.Repeat("a_very_long_name_", 1000)
	if got := fitted(long, "812", toolRoom); len(got) > 40 || !strings.Contains(got, "…") {
		t.Errorf("got a label of %d bytes", len(got))
	}
}
