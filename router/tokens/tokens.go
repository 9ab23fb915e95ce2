// Package tokens counts the tokens of text with OpenAI's o200k_base vocabulary. Other
// providers' counts differ by some per cent.
package tokens

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Counter counts o200k tokens. It is safe for concurrent use.
type Counter struct {
	codec *codec.Codec
	// counted caches the counts of stretches, indexed by hash, because tools repeat the
	// same words and JSON. A stretch replaces another one with the same index.
	counted [1 << 14]atomic.Pointer[stretch]
	seed    maphash.Seed
}

// stretch is a part of a text up to a [wordEnd], with its count.
type stretch struct {
	text string
	n    int
}

// maxStretch is the size in bytes of the longest stretch that is cached.
const maxStretch = 64

// New returns a counter. The first call in a process reads the vocabulary, which takes
// about 10 ms and 13 MB.
//
// It uses the vocabulary's own package. The one above it, which chooses by name, links
// five vocabularies.
func New() *Counter { return &Counter{codec: codec.NewO200kBase(), seed: maphash.MakeSeed()} }

// maxPart is the most bytes counted at once. The vocabulary treats a run of letters as
// one piece, in time quadratic in its length. Without the bound, one description could
// stop the daemon.
const maxPart = 16 << 10

// Count returns the number of tokens in text. It counts special tokens as plain text. The
// count is exact unless a text has more than 16 KiB between two spaces.
func (c *Counter) Count(text string) int {
	n := 0
	for text != "" {
		end := wordEnd(text)
		n += c.stretch(text[:end])
		text = text[end:]
	}
	return n
}

// wordEnd returns where the first word or number of a text ends, with what precedes it. A
// token always ends there: in no o200k token is a letter or a digit followed by another
// kind of character, except for an apostrophe.
func wordEnd(text string) int {
	for i := 1; i < len(text); i++ {
		before, next := kinds[text[i-1]], kinds[text[i]]
		if before&(letter|digit) != 0 && next&^before&(letter|digit|other) != 0 {
			return i
		}
	}
	return len(text)
}

// kind is the class of a byte for [wordEnd]. An apostrophe and the bytes beyond ASCII
// have none.
type kind uint8

const (
	letter kind = 1 << iota
	digit
	other
)

// kinds holds the kind of every byte.
var kinds = func() (kinds [256]kind) {
	for c := range byte(0x80) {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			kinds[c] = letter
		case c >= '0' && c <= '9':
			kinds[c] = digit
		case c != '\'':
			kinds[c] = other
		}
	}
	return kinds
}()

// stretch counts the tokens of a part of a text, and caches short parts.
func (c *Counter) stretch(text string) int {
	if len(text) > maxStretch {
		return c.inParts(text)
	}
	place := &c.counted[maphash.String(c.seed, text)%uint64(len(c.counted))]
	if known := place.Load(); known != nil && known.text == text {
		return known.n
	}
	n := c.count(text)
	place.Store(&stretch{strings.Clone(text), n})
	return n
}

// inParts counts the tokens of a text, at most maxPart bytes at once.
func (c *Counter) inParts(text string) int {
	n := 0
	for len(text) > maxPart {
		end := seam(text[:maxPart])
		n += c.count(text[:end])
		text = text[end:]
	}
	return n + c.count(text)
}

// seam returns where a text can be cut in two without changing its tokens: before its
// last single space, because a token begins there. If there is none, it is at the end of
// a character.
func seam(text string) int {
	for i := len(text) - 2; i > 0; i-- {
		if text[i] == ' ' && graphic(text[i-1]) && graphic(text[i+1]) {
			return i
		}
	}
	end := len(text)
	for i := 1; i < utf8.UTFMax && i < len(text); i++ {
		if utf8.RuneStart(text[len(text)-i]) {
			if !utf8.FullRuneInString(text[len(text)-i:]) {
				end = len(text) - i
			}
			break
		}
	}
	return end
}

// graphic reports whether a byte is a visible ASCII character.
func graphic(c byte) bool { return c > ' ' && c < 0x7F }

func (c *Counter) count(text string) int {
	n, err := c.codec.Count(text)
	if err != nil {
		// The split expression fails only on a timeout, which is not set. Four bytes per
		// token is o200k's average on JSON.
		return (len(text) + 3) / 4
	}
	return n
}
