package display

import (
	"strings"

	"github.com/rivo/uniseg"
)

// lettersOf returns the user-perceived characters of a text (grapheme clusters).
func lettersOf(text string) []string {
	var letters []string
	for it := uniseg.NewGraphemes(text); it.Next(); {
		letters = append(letters, it.Str())
	}
	return letters
}

// begin returns at most the first n letters of a text.
func begin(text string, n int) string {
	if len(text) <= n {
		return text
	}
	it := uniseg.NewGraphemes(text)
	for range n {
		if !it.Next() {
			return text
		}
	}
	_, end := it.Positions()
	return text[:end]
}

// excerpt returns the beginning of a text, with at most n letters, on one line.
func excerpt(text string, n int) string {
	text = strings.TrimSpace(oneLine(text))
	if start := begin(text, n); start == text {
		return text
	}
	return strings.TrimRight(begin(text, n-1), " ") + "…"
}

// width returns the approximate width of a text, in letters of a proportional font.
func width(text string) float64 {
	sum := 0.0
	for _, letter := range lettersOf(text) {
		sum += widthOf(letter)
	}
	return sum
}

// widthOf returns the width of one letter; a Chinese one or an emoji counts as two.
func widthOf(letter string) float64 {
	switch {
	case strings.Contains("fijlrtI|.,:;'- ·", letter):
		return 0.6
	case strings.Contains("mwMW@…", letter):
		return 1.4
	}
	return float64(columns(letter))
}

// columns returns the width of a text in monospaced letters.
func columns(text string) int { return uniseg.StringWidth(text) }

// lettersIn counts the letters of a text.
func lettersIn(text string) int { return uniseg.GraphemeClusterCount(text) }
