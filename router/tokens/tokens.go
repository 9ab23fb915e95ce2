// Package tokens counts what text costs a model, with OpenAI's o200k_base
// vocabulary. Other providers' counts differ by some per cent, never in order.
package tokens

import (
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Counter counts o200k tokens. It is safe for concurrent use.
type Counter struct {
	codec *codec.Codec
}

// New returns a counter. The first one in a process reads the vocabulary,
// which takes about 10 ms and 13 MB.
//
// The vocabulary's own package is used, and not the one above it that chooses by
// name: that links five vocabularies, of which four would never be read.
func New() *Counter { return &Counter{codec: codec.NewO200kBase()} }

// maxPart is how many bytes are counted at once. A run of letters without a
// space is one piece to the vocabulary, and takes time in proportion to the
// square of its length: a server could stop the daemon with one description.
const maxPart = 16 << 10

// Count returns the number of tokens in text. Special tokens are counted as
// the plain text that they are here. The count is exact, save for a text with
// more than 16 KiB between two spaces.
func (c *Counter) Count(text string) int {
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
