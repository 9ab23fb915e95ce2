package ranker

import (
	"strings"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// fieldShares divides the words' part of a document's score among its fields. total is
// the whole part, a multiple of grid; scale converts an impact into its unit. Each term's
// share is divided in proportion to its weighted occurrences. The rounding rest goes to
// the largest.
func fieldShares(x *index, terms []queryTerm, doc int, total, scale float64, spelling *spelling) []Part {
	var values [fieldCount]float64
	var words [fieldCount][]Word
	weights := x.parameters.weights(x.expansionWeight[doc])
	for _, t := range terms {
		counts, impact := x.posting(t.term, doc)
		for f, c := range counts.counts {
			if c == 0 || weights[f] == 0 {
				continue
			}
			share := weights[f] * float64(c) / weights.count(&counts)
			values[f] += signals.Round(impact * t.weight * scale * share)
			words[f] = append(words[f], spelling.word(t, doc))
		}
	}
	var parts []Part
	rest, largest := total, 0
	for f := range fieldCount {
		if len(words[f]) == 0 {
			continue
		}
		rest -= values[f]
		parts = append(parts, Part{Name: f.String(), Value: values[f], Detail: listWords(words[f]), Words: words[f]})
		if values[f] > parts[largest].Value {
			largest = len(parts) - 1
		}
	}
	if len(parts) > 0 {
		parts[largest].Value += rest
	}
	return parts
}

// listWords lists words on one line, with what implies them.
func listWords(words []Word) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.Text
		if w.Implied != "" {
			list[i] += " (" + w.Implied + ")"
		}
	}
	return strings.Join(list, " ")
}
