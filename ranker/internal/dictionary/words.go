package dictionary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// nextWord returns the first run of letters and digits at or after i; from and
// to are the text's end when there is none.
func nextWord(s string, i int) (from, to int) {
	for i < len(s) {
		r, size := decode(s, i)
		if isWordRune(r) {
			break
		}
		i += size
	}
	from = i
	for i < len(s) {
		r, size := decode(s, i)
		if !isWordRune(r) {
			break
		}
		i += size
	}
	return from, i
}

// decode is utf8.DecodeRuneInString with a shortcut for ASCII.
func decode(s string, i int) (rune, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// token is a word of a message, or a run of a script without spaces.
type token struct {
	from, to int
	key      string
	// script is the language that the letters indicate, none for Latin letters. Han
	// characters count as Chinese.
	script int
	// piece reports that the word is part of an identifier, a path or an address, is too
	// long, or has letters of a language without a list. It stays unchanged.
	piece bool
	// name says that it begins with a capital letter within its clause.
	name bool
	// means holds the token's meanings if they do not depend on the adjacent words.
	means []entry
}

// maxWord is the length in bytes above which letters are not a word.
const maxWord = 64

// tokens returns the tokens of s[from:to].
func tokens(s string, from, to int) []token {
	var list []token
	for i := from; i < to; {
		start, end := nextWord(s[:to], i)
		if start == end {
			break
		}
		piece := isPiece(s, start, end) || strings.IndexFunc(s[start:end], isRare) >= 0
		long := end-start > maxWord
		for start < end {
			next, script := scriptEnd(s[:end], start)
			first, _ := decode(s, start)
			list = append(list, token{
				from: start, to: next, key: text.Fold(s[start:next]), script: script,
				piece: piece || long && script == none, name: len(list) > 0 && unicode.IsUpper(first),
			})
			start = next
		}
		i = end
	}
	return list
}

// scriptEnd returns where the letters in the first one's script end. Han and Kana are one
// script, Japanese if there is a Kana.
func scriptEnd(s string, i int) (end, script int) {
	r, size := decode(s, i)
	script = ofScript(r)
	for end = i + size; end < len(s); end += size {
		r, size = decode(s, end)
		switch next := ofScript(r); {
		case next == script || unicode.IsMark(r):
		case next == japanese && script == chinese:
			script = japanese
		case next == chinese && script == japanese:
		default:
			return end, script
		}
	}
	return end, script
}

// isRare reports whether a letter is used by Vietnamese and other languages without a
// list. Without its marks, the word would be mistaken for another.
func isRare(r rune) bool { return 0x1E00 <= r && r <= 0x1EFF && r != 'ẞ' }

// isPiece reports whether s[start:end] is joined to another word, hyphens aside.
func isPiece(s string, start, end int) bool {
	const joints = `_./\@:=`
	if start > 0 && strings.IndexByte(joints, s[start-1]) >= 0 {
		return true
	}
	if end+1 >= len(s) || strings.IndexByte(joints, s[end]) < 0 {
		return false
	}
	r, _ := decode(s, end+1)
	return isWordRune(r)
}
