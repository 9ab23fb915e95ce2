package text

import (
	"strings"
	"unicode/utf8"
)

// Steps splits a message into the things it asks for: sentences and list
// items always, clauses too when clauses is true. It needs no grammar, only
// punctuation and the words that join requests ("and", "then", "after that").
//
// A piece with fewer than least words that say something joins the piece
// before it, so that "red, green and blue" stays together. At most limit
// pieces are returned; more are joined to the last. A message that is one
// step gives one piece.
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

// sentenceEnd returns the length of the mark at i that ends a sentence or a
// list item, 0 when there is none. A full stop counts before white space or
// at the end only: not in 3.14, example.com or report.pdf, nor behind an
// abbreviation that something follows.
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

// abbreviates reports whether s ends with the abbreviation of a word that stands
// before another one, such as a title before a name.
func abbreviates(s string) bool {
	switch strings.ToLower(s[strings.LastIndexAny(s, " \t\n(\"'")+1:]) {
	case "dr", "mr", "mrs", "ms", "prof", "st", "vs", "e.g", "i.e", "approx":
		return true
	}
	return false
}

// joiners are the words and phrases, between spaces, that start another
// request.
var joiners = []string{"and then ", "and also ", "and ", "then ", "also ", "but ", "as well as ", "after that ", "before ", "after "}

// clauseEnd returns the length of what joins two clauses at i: a comma with
// the joiners that follow it, or a joiner between spaces.
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

// joinShort joins pieces that say too little to be a request.
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

// saying counts the words of s that are neither stop words nor filler, a pair
// of characters of a script without spaces as half a word.
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
