package text

import (
	"unicode"
	"unicode/utf8"
)

// Form is how a word was derived from the text.
type Form int8

// The forms of a word.
const (
	// Plain is a word as it stood in the text.
	Plain Form = iota
	// Part is one piece of an identifier: "issue" of "createIssue".
	Part
	// Whole is a whole identifier without its separators: "createissue". It
	// follows its parts.
	Whole
	// Gram is a pair of characters of a script that puts no spaces between
	// words, or a lone character of one.
	Gram
)

// maxWord is the length in bytes at which a word is cut. The longest word of a real
// identifier measures 60; longer text is not a word.
const maxWord = 64

// Tokenizer finds the words of a text. The zero value is ready to use. It reuses buffers
// and is not safe for concurrent use.
type Tokenizer struct {
	part  []byte
	whole []byte
	grams []rune
	yield func(word []byte, form Form)
}

// Each calls yield for every word of s, folded, in order. The bytes are only
// valid during the call.
//
// Identifiers are split at separators, at changes of case and between letters
// and digits; the identifier joined follows its parts unless it was one word:
// "create_issue" gives create, issue, createissue. English contractions lose
// their tail ("I'm" gives i).
func (t *Tokenizer) Each(s string, yield func(word []byte, form Form)) {
	t.yield = yield
	for i := 0; i < len(s); {
		r, size := decode(s, i)
		switch {
		case IsSpaceless(r):
			i = t.eachGram(s, i)
		case isWordRune(r):
			i = t.eachIdentifier(s, i)
		default:
			i += size
		}
	}
	t.yield = nil
}

// decode is utf8.DecodeRuneInString with a shortcut for ASCII.
func decode(s string, i int) (rune, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

// eachIdentifier yields the parts of the identifier that starts at i, then the whole, and
// returns the index after it.
func (t *Tokenizer) eachIdentifier(s string, i int) int {
	t.whole = t.whole[:0]
	end, next, first := i, 0, true
	for {
		next = partEnd(s, end)
		joined := nextPart(s, next)
		// The form is known only once it is clear whether a part follows.
		form := Part
		if first && joined < 0 {
			form = Plain
		}
		t.emit(s[end:next], form)
		first = false
		if joined < 0 {
			break
		}
		end = joined
	}
	if len(t.whole) > len(t.part) && len(t.whole) <= maxWord {
		t.yield(t.whole, Whole)
	}
	return skipContraction(s, next)
}

// emit folds one part, appends it to the whole and yields it.
func (t *Tokenizer) emit(s string, form Form) {
	t.part = AppendFold(t.part[:0], clip(s))
	if len(t.part) == 0 {
		return
	}
	if len(t.whole) <= maxWord {
		t.whole = append(t.whole, t.part...)
	}
	t.yield(t.part, form)
}

// clip cuts s to maxWord bytes at a rune boundary.
func clip(s string) string {
	if len(s) <= maxWord {
		return s
	}
	n := maxWord
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// partEnd returns where the part that starts at i ends.
func partEnd(s string, i int) int {
	prev, size := decode(s, i)
	for i += size; i < len(s); i += size {
		if isLowerASCII(prev) { // by far the most frequent case
			for i < len(s) && 'a' <= s[i] && s[i] <= 'z' {
				i++
			}
			if i == len(s) {
				break
			}
		}
		var r rune
		r, size = decode(s, i)
		if !isWordRune(r) || IsSpaceless(r) || isBoundary(s, i, size, prev, r) {
			return i
		}
		prev = r
	}
	return i
}

// isBoundary reports whether a part ends between prev and the rune r at i:
// between letters and digits, at lower→Upper, and before the last capital of
// a run that a lower-case word follows (HTTP|Server). A plural s after
// capitals (PDFs, IDs) belongs to them.
func isBoundary(s string, i, size int, prev, r rune) bool {
	if unicode.IsDigit(prev) != unicode.IsDigit(r) {
		return !unicode.IsMark(r)
	}
	if !unicode.IsUpper(r) {
		return false
	}
	if unicode.IsLower(prev) {
		return true
	}
	if !unicode.IsUpper(prev) || i+size >= len(s) {
		return false
	}
	next, nextSize := decode(s, i+size)
	if !unicode.IsLower(next) {
		return false
	}
	return !(next == 's' && !startsWord(s, i+size+nextSize))
}

func isLowerASCII(r rune) bool { return 'a' <= r && r <= 'z' }

func startsWord(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := decode(s, i)
	return unicode.IsLower(r)
}

// nextPart returns where the next part of the same identifier starts when one
// follows at i, directly or behind one or two of the separators _ and -; else
// it returns -1.
func nextPart(s string, i int) int {
	for seps := 0; i < len(s) && seps <= 2; seps++ {
		r, _ := decode(s, i)
		if isWordRune(r) && !IsSpaceless(r) {
			return i
		}
		if r != '_' && r != '-' {
			return -1
		}
		i++
	}
	return -1
}

// skipContraction returns the position after an English contraction's tail at
// i ('s, 't, 're …), or i when there is none.
func skipContraction(s string, i int) int {
	if i >= len(s) {
		return i
	}
	r, size := decode(s, i)
	if r != '\'' && r != '’' {
		return i
	}
	end := i + size
	for end < len(s) && isASCIILetter(s[end]) {
		end++
	}
	switch s[i+size : end] {
	case "s", "t", "m", "d", "re", "ve", "ll", "S", "T", "M", "D", "RE", "VE", "LL":
		return end
	}
	return i
}

func isASCIILetter(c byte) bool { return 'a' <= lowerASCII(c) && lowerASCII(c) <= 'z' }

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}
