package bank

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// Words returns the folded words of an identifier. createIssue, create_issue and
// create-issue have the same.
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

// maxParameters is how many parameters of a tool have a hash, the lowest ones. More would
// not distinguish tools better.
const maxParameters = 40

// ParameterPrints returns the hashes of parameters' names, ascending, each once. They
// depend only on the words of a name.
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

// DescriptionPrint returns the hash of a description's letters and digits, which ignores
// layout. It is 0 if there are none.
func DescriptionPrint(description string) uint32 {
	var h wordHash
	sum, words := h.of(description)
	if words == 0 {
		return 0
	}
	return max(1, sum)
}

// wordHash is FNV-1a with 32 bits over the words of a text, joined by spaces. It reuses
// buffers.
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
