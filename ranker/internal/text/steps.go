package text

import (
	"strings"
	"unicode/utf8"
)

// Steps splits a message into its requests: always at sentences and list items, and at
// clauses if clauses is true. It uses only punctuation and the words that join requests
// ("and", "then", "after that").
//
// A piece with fewer than least meaningful words is joined to the piece before it, so
// that "red, green and blue" stays together. At most limit pieces are returned; the rest
// is joined to the last. A message of one step gives one piece.
func Steps(message string, clauses bool, least, limit int) []string {
	var pieces []string
	for start := 0; start < len(message); {
		end, next := pieceEnd(message, start, clauses)
		if piece := strings.TrimSpace(message[start:end]); piece != "" {
			pieces = append(pieces, piece)
		}
		start = next
	}
	return capped(joinShort(pieces, least), limit)
}

// pieceEnd returns where the piece that starts at start ends and the next
// one starts.
func pieceEnd(s string, start int, clauses bool) (end, next int) {
	for i := start; i < len(s); i++ {
		if width := sentenceEnd(s, i); width > 0 {
			return i, i + width
		}
		if !clauses {
			continue
		}
		if width := clauseEnd(s, i); width > 0 {
			return i, i + width
		}
	}
	return len(s), len(s)
}

// sentenceEnd returns the length of the mark at i that ends a sentence or a list item, or
// 0. A full stop counts only before white space or at the end: not in 3.14, example.com
// or report.pdf, nor after an abbreviation within a sentence.
func sentenceEnd(s string, i int) int {
	switch s[i] {
	case '\n':
		return 1
	case '.', '!', '?', ';', ':':
		switch {
		case i+1 == len(s), s[i+1] == '\n':
			return 1
		case s[i+1] == ' ' || s[i+1] == '\t':
			if s[i] != '.' || !abbreviates(s[:i]) {
				return 1
			}
		}
	}
	if s[i] < utf8.RuneSelf {
		return 0
	}
	for _, mark := range []string{"。", "！", "？", "；", "؟", "।"} {
		if strings.HasPrefix(s[i:], mark) {
			return len(mark)
		}
	}
	return 0
}

// abbreviates reports whether s ends with an abbreviation that precedes another word,
// such as a title before a name.
func abbreviates(s string) bool {
	switch strings.ToLower(s[strings.LastIndexAny(s, " \t\n(\"'")+1:]) {
	case "dr", "mr", "mrs", "ms", "prof", "st", "vs", "e.g", "i.e", "approx":
		return true
	}
	return false
}

// joiners are the words and phrases, between spaces, that start another request.
var joiners = []string{"and then ", "and also ", "and ", "then ", "also ", "but ", "as well as ", "after that ", "before ", "after "}

// clauseEnd returns the length of the joint of two clauses at i: a comma with the joiners
// after it, or a joiner between spaces.
func clauseEnd(s string, i int) int {
	width := 0
	switch {
	case strings.HasPrefix(s[i:], "，"), strings.HasPrefix(s[i:], "、"):
		return len("，")
	case s[i] == ',' && i+1 < len(s) && s[i+1] == ' ':
		width = 2
	case s[i] == ' ':
		if joinerAt(s, i+1) == 0 {
			return 0
		}
		width = 1
	default:
		return 0
	}
	for n := joinerAt(s, i+width); n > 0; n = joinerAt(s, i+width) {
		width += n
	}
	return width
}

func joinerAt(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	first := s[i] | 0x20 // in lower case
	for _, j := range joiners {
		if j[0] == first && len(s)-i >= len(j) && strings.EqualFold(s[i:i+len(j)], j) {
			return len(j)
		}
	}
	return 0
}

// joinShort joins pieces with too few words to be a request.
func joinShort(pieces []string, least int) []string {
	var out []string
	var tokenizer Tokenizer
	previous := 0
	for _, piece := range pieces {
		words := saying(piece, &tokenizer)
		if n := len(out); n > 0 && (words < least || previous < least) {
			out[n-1] += ", " + piece
			previous += words
			continue
		}
		out = append(out, piece)
		previous = words
	}
	return out
}

// saying counts the words of s that are neither stop words nor filler. A pair of
// characters of a script without spaces counts half.
func saying(s string, tokenizer *Tokenizer) int {
	words, grams := 0, 0
	tokenizer.Each(s, func(word []byte, form Form) {
		switch {
		case form == Gram:
			grams++
		case form != Whole && !IsStop(string(word)) && !IsFiller(string(word)):
			words++
		}
	})
	return words + (grams+1)/2
}

func capped(pieces []string, limit int) []string {
	if len(pieces) <= limit {
		return pieces
	}
	pieces[limit-1] = strings.Join(pieces[limit-1:], ", ")
	return pieces[:limit]
}
