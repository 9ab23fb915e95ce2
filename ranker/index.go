package ranker

import (
	"math"
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// bm25f holds the parameters of BM25 over weighted fields. A word counts by the field's
// weight, both as an occurrence and in the document's length; the rest is BM25. With
// equal weights it is plain BM25.
type bm25f struct {
	fields [fieldCount]float64
	k1, b  float64
	// expansionWeight returns the weight of an expansion within its field's weight; nil
	// means 0.
	expansionWeight func(*expansion) float64
}

// plainBM25 is BM25 as Robertson and Zaragoza define it in "The Probabilistic
// Relevance Framework" (2009), with the parameters that Wayland Core and Zoo
// Code use and every field alike.
func plainBM25() bm25f {
	return bm25f{fields: [fieldCount]float64{1, 1, 1, 1, 1, 1, 0}, k1: 1.5, b: 0.75}
}

// index is an inverted index with precomputed impacts: a query only sums the impacts of
// its terms' postings. It is immutable.
type index struct {
	*analysed
	parameters bm25f
	// expansionWeight holds the weight of each document's phrasings.
	expansionWeight []float64
	// starts holds, for term t, the range starts[t]:starts[t+1] of docs and
	// impacts.
	starts  []uint32
	docs    []uint32
	impacts []float32
	idf     []float32
	// typical is the median of the documents' weighted numbers of words. BM25 uses the
	// mean, but a few very long descriptions would raise it and so count as short.
	typical float64
}

// newIndex inverts the analysed documents by counting, in time linear in the postings.
func newIndex(a *analysed, parameters bm25f) *index {
	x := &index{analysed: a, parameters: parameters, expansionWeight: make([]float64, len(a.analyses))}
	frequencies := a.frequencies
	if parameters.expansionWeight == nil {
		frequencies = a.ownFrequencies
	} else {
		for i, l := range a.expansions {
			x.expansionWeight[i] = parameters.expansionWeight(l)
		}
	}
	x.typical = x.median()
	x.starts = make([]uint32, len(frequencies)+1)
	x.idf = make([]float32, len(frequencies))
	for t, n := range frequencies {
		x.idf[t] = idf(len(a.analyses), int(n))
		x.starts[t+1] = x.starts[t] + n
	}
	x.fill()
	return x
}

// median returns the median length, at least 1.
func (x *index) median() float64 {
	if len(x.analyses) == 0 {
		return 1
	}
	lengths := make([]float64, len(x.analyses))
	for i, d := range x.analyses {
		lengths[i] = x.parameters.length(d, x.expansionWeight[i])
	}
	slices.Sort(lengths)
	return max(1, lengths[len(lengths)/2])
}

func (x *index) fill() {
	total := x.starts[len(x.starts)-1]
	x.docs = make([]uint32, total)
	x.impacts = make([]float32, total)
	next := append([]uint32(nil), x.starts...)
	for i, d := range x.analyses {
		norm, weights := x.lengthNorm(i), x.parameters.weights(x.expansionWeight[i])
		for j := range d.terms {
			t := &d.terms[j]
			if x.parameters.expansionWeight == nil && !t.own() {
				continue
			}
			at := next[t.term]
			next[t.term]++
			x.docs[at] = uint32(i)
			x.impacts[at] = x.impact(t, norm, &weights)
		}
	}
}

// lengthNorm returns BM25's 1−b+b·length/typical.
func (x *index) lengthNorm(doc int) float64 {
	b := x.parameters.b
	return 1 - b + float64(b*x.parameters.length(x.analyses[doc], x.expansionWeight[doc]))/x.typical
}

// impact returns what a term adds to a document's score, a multiple of the step of
// [signals.Round]:
//
//	idf · tf·(k1+1) / (tf + k1·norm)
func (x *index) impact(t *termCount, norm float64, weights *fieldWeights) float32 {
	tf, k1 := weights.count(t), x.parameters.k1
	saturated := tf * (k1 + 1) / (tf + float64(k1*norm))
	return float32(signals.Round(float64(x.idf[t.term]) * saturated))
}

// idf returns BM25's weight of a term in df of n documents, in the variant that is never
// negative: ln(1 + (n−df+½)/(df+½)).
func idf(n, df int) float32 {
	return float32(signals.Round(math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5))))
}

// length returns a document's weighted number of words.
func (p *bm25f) length(d *analysis, expansionWeight float64) float64 {
	n, weights := 0.0, p.weights(expansionWeight)
	for f, l := range d.lengths {
		n += float64(weights[f] * float64(l))
	}
	return n
}

// fieldWeights holds the weight of a word in each field of a document.
type fieldWeights [fieldCount]float64

// weights returns those of a document whose phrasings have expansionWeight.
func (p *bm25f) weights(expansionWeight float64) fieldWeights {
	weights := fieldWeights(p.fields)
	weights[fieldPhrasing] *= expansionWeight
	return weights
}

// count returns a term's weighted number of occurrences.
func (w *fieldWeights) count(t *termCount) float64 {
	n := 0.0
	for f, c := range t.counts {
		if c != 0 { // few fields have the term
			n += float64(w[f] * float64(c))
		}
	}
	return n
}

// occurs reports whether some document has a term. A lexicon may hold terms of removed
// documents.
func (x *index) occurs(t termID) bool { return x.starts[t] < x.starts[t+1] }

// postings returns the documents that have a term and what it adds to each.
func (x *index) postings(t termID) (docs []uint32, impacts []float32) {
	from, to := x.starts[t], x.starts[t+1]
	return x.docs[from:to], x.impacts[from:to]
}

// posting returns the counts and the impact of a term in a document, zero
// when it does not occur there.
func (x *index) posting(term termID, doc int) (termCount, float64) {
	docs, impacts := x.postings(term)
	at, found := slices.BinarySearch(docs, uint32(doc))
	if !found {
		return termCount{}, 0
	}
	terms := x.analyses[doc].terms
	i, _ := slices.BinarySearchFunc(terms, term, func(t termCount, id termID) int { return int(t.term) - int(id) })
	return terms[i], float64(impacts[at])
}

// has reports whether some document has a folded word.
func (x *index) has(word string) bool {
	id, ok := x.lexicon.find([]byte(word))
	return ok && id != noTerm && x.occurs(id)
}

// eachTerm calls yield for every term of a text that is in the lexicon.
func (x *index) eachTerm(s string, tokenizer *text.Tokenizer, yield func(termID)) {
	tokenizer.Each(s, func(word []byte, _ text.Form) {
		if id, ok := x.lexicon.find(word); ok && id != noTerm {
			yield(id)
		}
	})
}

// docName describes a document's name: the sum of the idf of its words, where those are
// in nameTerms, and the kind of its first verb.
type docName struct {
	rarity     float64
	first, end int32
	action     action
}

// docNames returns the names of the documents, and the words of all of them.
func (x *index) docNames() (names []docName, terms []termID) {
	names = make([]docName, len(x.analyses))
	for i, a := range x.analyses {
		n := &names[i]
		n.action, n.first = a.action, int32(len(terms))
		terms = append(terms, a.nameTerms...)
		n.end = int32(len(terms))
		for _, id := range a.nameTerms {
			n.rarity += float64(x.idf[id])
		}
	}
	return names, terms
}

// fusedBM25 returns the index parameters among the weights.
func fusedBM25(w *Weights) bm25f {
	return bm25f{
		fields: [fieldCount]float64{
			fieldServer: w.Server, fieldName: w.Name, fieldTitle: w.Title, fieldDescription: w.Description,
			fieldParameter: w.Parameter, fieldParameterText: w.ParameterText, fieldPhrasing: w.Phrasing,
		},
		k1: w.K1, b: w.B, expansionWeight: func(l *expansion) float64 { return l.weight(w) },
	}
}
