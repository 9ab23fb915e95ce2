// Package spelling finds what somebody meant who mistyped a word. It knows
// neither tools nor settings: what words there are, the caller says.
package spelling

import (
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// maxLetters bounds the words that are compared: what is longer is no mistyped
// name, and the time grows with the square.
const maxLetters = 128

// Slips returns how many letters of got are wrong, missing or too many if word
// was meant, ignoring case. It is false when they are too many for that: more
// than two, or more than a third of a short word.
func Slips(got, word string) (slips int, meant bool) {
	letters, others := utf8.RuneCountInString(got), utf8.RuneCountInString(word)
	if letters > maxLetters || others > maxLetters {
		return 0, false
	}
	limit := min(2, letters/3)
	if letters-others > limit || others-letters > limit {
		return 0, false
	}
	slips = levenshtein.ComputeDistance(strings.ToLower(got), strings.ToLower(word))
	return slips, slips <= limit
}
