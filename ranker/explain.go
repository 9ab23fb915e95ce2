package ranker

import (
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
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

// spelling displays terms: a term is a stem, such as "knowledg", which nobody wrote.
type spelling struct {
	index *index
	// said maps each term to the first word of the message with it.
	said map[termID]string
	// has is the same for the document last read, doc; -1 before the first.
	has map[termID]string
	doc int
}

// newSpelling reads the words of a message.
func newSpelling(x *index, message string) *spelling {
	s := &spelling{index: x, said: map[termID]string{}, doc: -1}
	head, tail := clipQuery(message)
	s.read(s.said, head)
	s.read(s.said, tail)
	return s
}

// read records the first word of a text for each term.
func (s *spelling) read(words map[termID]string, from string) {
	var tokenizer text.Tokenizer
	tokenizer.Each(from, func(word []byte, _ text.Form) {
		if id, ok := s.index.lexicon.find(word); ok && words[id] == "" {
			words[id] = string(word)
		}
	})
}

// word returns a term that a document matches: as in the message or, if the message only
// implies it, as in the document, with what implies it.
func (s *spelling) word(t queryTerm, doc int) Word {
	if t.implied == "" {
		return Word{Text: s.said[t.term]}
	}
	if s.doc != doc {
		s.doc, s.has = doc, map[termID]string{}
		s.index.analysed.docs[doc].eachText(func(_ field, from string) { s.read(s.has, clipText(from)) })
		s.index.expander.eachPhrasing(s.index.expansions[doc], func(phrasings string) { s.read(s.has, phrasings) })
	}
	return Word{Text: s.has[t.term], Implied: t.implied}
}
