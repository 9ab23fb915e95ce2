package bank

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// Words returns the words of an identifier, folded: createIssue, create_issue
// and create-issue have the same.
func Words(identifier string) []string {
	var words []string
	var tokenizer text.Tokenizer
	tokenizer.Each(identifier, func(word []byte, form text.Form) {
		if form != text.Whole {
			words = append(words, string(word))
		}
	})
	return words
}

// maxParameters is how many parameters of a tool have a print, the first ones
// by print: what is beyond tells two tools apart no better.
const maxParameters = 40

// ParameterPrints returns the prints of parameters' names, ascending, each once.
// Only the words of a name count, not how they are joined.
func ParameterPrints(names []string) []uint16 {
	prints := make([]uint16, 0, len(names))
	var h wordHash
	for _, name := range names {
		sum, _ := h.of(name)
		prints = append(prints, uint16(sum^sum>>16))
	}
	slices.Sort(prints)
	prints = slices.Compact(prints)
	return prints[:min(len(prints), maxParameters)]
}

// DescriptionPrint returns the print of a description: of its letters and
// digits, so that layout does not count. One without any has 0.
func DescriptionPrint(description string) uint32 {
	var h wordHash
	sum, words := h.of(description)
	if words == 0 {
		return 0
	}
	return max(1, sum)
}

// wordHash is FNV-1a with 32 bits over the words of a text, joined by spaces. It
// keeps buffers.
type wordHash struct{ tokenizer text.Tokenizer }

// of returns the hash of a text and how many words it has.
func (h *wordHash) of(s string) (sum uint32, words int) {
	const offset, prime = 2166136261, 16777619
	sum = offset
	h.tokenizer.Each(s, func(word []byte, form text.Form) {
		if form == text.Whole {
			return
		}
		if words++; words > 1 {
			sum = (sum ^ ' ') * prime
		}
		for _, c := range word {
			sum = (sum ^ uint32(c)) * prime
		}
	})
	return sum, words
}
