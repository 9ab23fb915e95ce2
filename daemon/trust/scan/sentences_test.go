package scan

import (
	"regexp"
	"testing"
)

// ends is what [sentenceEnd] says without an expression.
var ends = regexp.MustCompile(`[.!?。！？]["')\]]*(?:\s+|$)|\n\s*\n`)

// FuzzSentenceEnd compares it with the expression.
func FuzzSentenceEnd(f *testing.F) {
	for _, text := range []string{
		"", "One. Two.", "See a.txt. \n x", `He said "no!") Then`, "a\n\n\n b", "a\n \n b\nc \n\td", "全部。 次", "全部。次！", "a.\u00a0b. \v c?]\f", "x\n.\n\n!\n",
		"\xff. \xe3\x80", "a\n\u00a0\nb\r\n\r\nc",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := len(text)
		if at := ends.FindStringIndex(text); at != nil {
			want = at[1]
		}
		if got := sentenceEnd(text); got != want {
			t.Errorf("%q ends at %d, want %d", text, got, want)
		}
	})
}
