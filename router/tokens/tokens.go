// Package tokens counts what text costs a model, with OpenAI's o200k_base
// vocabulary. Other providers' counts differ by some per cent, never in order.
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
	// counted holds the counts of stretches that were met before, each at the place that
	// its hash says: tools repeat the same words and the same JSON between them. A
	// stretch takes the place of another one with the same.
	counted [1 << 14]atomic.Pointer[stretch]
	seed    maphash.Seed
}

// stretch is a part of a text up to a [wordEnd].
type stretch struct {
	text string
	n    int
}

// maxStretch is how many bytes a stretch that is kept has at most.
const maxStretch = 64

// New returns a counter. The first one in a process reads the vocabulary,
// which takes about 10 ms and 13 MB.
//
// The vocabulary's own package is used, and not the one above it that chooses by
// name: that links five vocabularies, of which four would never be read.
func New() *Counter { return &Counter{codec: codec.NewO200kBase(), seed: maphash.MakeSeed()} }

// maxPart is how many bytes are counted at once. A run of letters without a
// space is one piece to the vocabulary, and takes time in proportion to the
// square of its length: a server could stop the daemon with one description.
const maxPart = 16 << 10

// Count returns the number of tokens in text. Special tokens are counted as
// the plain text that they are here. The count is exact, save for a text with
// more than 16 KiB between two spaces.
func (c *Counter) Count(text string) int {
	n := 0
	for text != "" {
		end := wordEnd(text)
		n += c.stretch(text[:end])
		text = text[end:]
	}
	return n
}

// wordEnd returns where the first word or number of a text ends, with what stands
// before it: a token ends there in any case. o200k has no token of which a letter or
// a digit is followed by another kind of character, but for an apostrophe.
func wordEnd(text string) int {
	for i := 1; i < len(text); i++ {
		before, next := kinds[text[i-1]], kinds[text[i]]
		if before&(letter|digit) != 0 && next&^before&(letter|digit|other) != 0 {
			return i
		}
	}
	return len(text)
}

// kind is what a byte is, for [wordEnd]. An apostrophe is none of these, nor is
// a byte beyond ASCII.
type kind uint8

const (
	letter kind = 1 << iota
	digit
	other
)

// kinds are those of all bytes.
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

// stretch counts the tokens of a part of a text.
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

// seam returns where a text can be cut in two without a change of its tokens:
// before its last single space, since a token begins there in any case.
// Without one it is cut at the end of a character.
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

// graphic reports whether a byte is a visible character of ASCII.
func graphic(c byte) bool { return c > ' ' && c < 0x7F }

func (c *Counter) count(text string) int {
	n, err := c.codec.Count(text)
	if err != nil {
		// The split expression fails on nothing but a timeout, which is not
		// set; four bytes a token is o200k's average on JSON.
		return (len(text) + 3) / 4
	}
	return n
}
