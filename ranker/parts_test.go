package ranker

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// No two kinds of part have one name.
func TestParts_haveDistinctNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{copyPart: true, otherLanguagePart: true}
	for i, s := range signals.All {
		if s.Name == "" || seen[s.Name] {
			t.Errorf("signal %d is named %q", i, s.Name)
		}
		seen[s.Name] = true
	}
	for f := range fieldCount {
		if f.String() == "" || seen[f.String()] {
			t.Errorf("field %d is named %q", f, f)
		}
	}
}

func TestClipDetail(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "short", strings.Repeat("a", 500), strings.Repeat("é", 500), strings.Repeat("字", 500)} {
		got := clipDetail(s)
		if len(got) > maxDetail+len("…") || !utf8.ValidString(got) {
			t.Errorf("%d bytes are clipped to %q", len(s), got)
		}
		if len(s) <= maxDetail && got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

// A word in several fields is shared out to all of them, and what rounding
// leaves goes to the largest.
func TestFieldShares(t *testing.T) {
	t.Parallel()
	d := Document{ID: "a", Server: "file", Name: "file", Description: "file file one two three"}
	c := NewCorpus([]Document{d, {ID: "b", Name: "other"}}, nil)
	x := c.fusion().index
	v := open(t, c, "file", nil)
	words := signals.Round(v.wordsPart(0))
	parts := fieldShares(x, v.terms, 0, words, v.wordScale, newSpelling(x, "file"))
	if len(parts) != 3 || sumOfParts(parts) != words {
		t.Fatalf("parts %+v, want three that add up to %v", parts, words)
	}
	// Weighted counts: server 1·1, name 1·2, description 2·1, together 5.
	for i, want := range []float64{1.0 / 5, 2.0 / 5, 2.0 / 5} {
		if got := parts[i].Value / words; got < want-0.001 || got > want+0.001 {
			t.Errorf("%s has %.3f of the score, want %.3f", parts[i].Name, got, want)
		}
	}
}
