package ranker

import (
	"cmp"
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// maxCount caps the count of a term in a field; the field's length is not capped. An
// honest description names a thing two or three times. Without the cap, one that repeats
// likely words a hundred times would outrank it.
const maxCount = 4

// termCount says how often a term occurs in each field of a document, up to
// maxCount.
type termCount struct {
	term   termID
	counts [fieldCount]uint8
}

// own reports whether a term occurs in the document's own text, not only in its
// expansion.
func (t *termCount) own() bool {
	for f, c := range t.counts {
		if field(f) != fieldPhrasing && c > 0 {
			return true
		}
	}
	return false
}

// analysis is a document's contribution to an index: its terms, and the number of indexed
// words in each field. It depends on the text, the expansion and the lexicon's numbering.
// Corpus versions share it.
type analysis struct {
	terms   []termCount
	lengths [fieldCount]uint16
	// name is the document's name, folded, and nameTerms its words, in order.
	name      string
	nameTerms []termID
	// removes says that the name has a verb of removal.
	removes bool
	// action is the kind of the first verb in the name.
	action action
}

// analyser turns documents into analyses. It keeps buffers and is not safe
// for concurrent use.
type analyser struct {
	lexicon   *lexicon
	tokenizer text.Tokenizer
	terms     []termCount
	// places maps a term to its index in terms; an entry is valid if the term there is
	// the same (a sparse set, after Briggs and Torczon 1993, which need not be cleared).
	places []int32
}

func newAnalyser(l *lexicon) *analyser {
	return &analyser{lexicon: l}
}

// analyse returns the analysis of d and of its expansion by e, with terms in
// ascending order.
func (a *analyser) analyse(d *Document, e *expander, added *expansion) *analysis {
	a.terms = a.terms[:0]
	out := &analysis{name: text.Fold(d.Name)}
	read := func(f field, s string) {
		a.tokenizer.Each(clipText(s), func(word []byte, form text.Form) {
			if f == fieldName && form != text.Whole {
				kind := verbFor(string(word), inName)
				out.action = cmp.Or(out.action, kind)
				out.removes = out.removes || kind == takesAway
			}
			id := a.lexicon.add(word, form)
			if id == noTerm {
				return
			}
			a.count(id, f)
			if f == fieldName && form != text.Whole {
				out.nameTerms = append(out.nameTerms, id)
			}
			if out.lengths[f] < ^uint16(0) {
				out.lengths[f]++
			}
		})
	}
	d.eachText(read)
	e.eachPhrasing(added, func(phrasings string) { read(fieldPhrasing, phrasings) })
	out.terms = slices.Clone(a.terms)
	slices.SortFunc(out.terms, func(x, y termCount) int { return int(x.term) - int(y.term) })
	return out
}

func (a *analyser) count(id termID, f field) {
	if n := len(a.lexicon.texts); n > len(a.places) {
		a.places = append(a.places, make([]int32, n-len(a.places))...)
	}
	i := int(a.places[id])
	if i >= len(a.terms) || a.terms[i].term != id {
		i = len(a.terms)
		a.places[id] = int32(i)
		a.terms = append(a.terms, termCount{term: id})
	}
	if c := &a.terms[i].counts[f]; *c < maxCount {
		*c++
	}
}
