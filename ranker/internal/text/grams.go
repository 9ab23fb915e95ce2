package text

import (
	"unicode"
	"unicode/utf8"
)

// spaceless holds the scripts without spaces between words, and Hangul, whose words have
// grammatical suffixes. Pairs of characters match both.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// firstSpaceless is the lowest code point of the scripts above.
const firstSpaceless = 0x0E00

// IsSpaceless reports whether a letter is of a script without spaces between words, or of
// Hangul.
func IsSpaceless(r rune) bool {
	return r >= firstSpaceless && unicode.In(r, spaceless...)
}

// eachGram yields every pair of neighbours in the run of spaceless characters
// at i, or the only character of a run of one, and returns the run's end.
func (t *Tokenizer) eachGram(s string, i int) int {
	end := i
	for end < len(s) {
		r, size := decode(s, end)
		if !IsSpaceless(r) {
			break
		}
		end += size
	}
	t.part = AppendFold(t.part[:0], s[i:end])
	t.grams = t.grams[:0]
	for _, r := range string(t.part) {
		t.grams = append(t.grams, r)
	}
	t.yieldPairs()
	return end
}

func (t *Tokenizer) yieldPairs() {
	if len(t.grams) == 1 {
		t.yield(t.part, Gram)
		return
	}
	for k := 1; k < len(t.grams); k++ {
		t.part = utf8.AppendRune(t.part[:0], t.grams[k-1])
		t.part = utf8.AppendRune(t.part, t.grams[k])
		t.yield(t.part, Gram)
	}
}
