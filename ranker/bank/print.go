package bank

import (
	"hash/fnv"
	"slices"
	"strings"

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
	for _, name := range names {
		h := hash(strings.Join(Words(name), " "))
		prints = append(prints, uint16(h^h>>16))
	}
	slices.Sort(prints)
	prints = slices.Compact(prints)
	return prints[:min(len(prints), maxParameters)]
}

// DescriptionPrint returns the print of a description: of its letters and
// digits, so that layout does not count. One without any has 0.
func DescriptionPrint(description string) uint32 {
	words := Words(description)
	if len(words) == 0 {
		return 0
	}
	return max(1, hash(strings.Join(words, " ")))
}

// hash is FNV-1a over the bytes of s.
func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s)) // never fails
	return h.Sum32()
}
