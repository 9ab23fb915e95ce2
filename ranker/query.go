package ranker

import (
	"cmp"
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// maxQueryTerms is how many distinct terms of a message count, the rarest in the corpus.
const maxQueryTerms = 192

// Origins of terms that are not in the message's request.
const (
	impliedBySynonym = "synonym"
	impliedBySignal  = "signal"
	impliedByBest    = "best tools"
	impliedByPasted  = "pasted"
)

// queryTerm is a term of a message that is in the corpus.
type queryTerm struct {
	term   termID
	weight float64
	// implied is empty for a term of the message's request.
	implied string
	// form is the word of another language that it translates; zero for the message's own
	// or implied terms.
	form foreignWord
}

// written reports whether the message has the term as it is, pasted or not, like a name.
// A translation is not a name, unless the list of its language says so.
func (t *queryTerm) written() bool {
	return (t.implied == "" || t.implied == impliedByPasted) && (t.form.written == "" || t.form.isName)
}

// queryTerms reads messages; it reuses its buffers.
type queryTerms struct {
	tokenizer text.Tokenizer
	terms     []queryTerm
	seen      marks // of terms
	// said counts the words that are neither stop words nor filler, in the corpus or not.
	said int
	// unknown holds the words, folded, that no document has.
	unknown []string
	// translation is the message's translation; nil if the text is not a message's.
	translation *translation
}

// read returns the terms of s in the order of their first occurrence. The
// result is valid until the next call. With skipFiller, words of politeness
// do not count.
func (q *queryTerms) read(s string, x *index, skipFiller bool) []queryTerm {
	q.seen.reset()
	q.terms = q.terms[:0]
	q.said = 0
	q.unknown = q.unknown[:0]
	head, tail := clipQuery(s)
	for _, part := range []string{head, tail} {
		q.tokenizer.Each(part, func(word []byte, _ text.Form) {
			id, ok := x.lexicon.find(word)
			if ok && id == noTerm || skipFiller && text.IsFiller(string(word)) {
				return
			}
			q.said++
			if ok && x.occurs(id) {
				q.addOwn(x, id)
			} else if len(q.unknown) < maxQueryTerms {
				q.unknown = append(q.unknown, string(word))
			}
		})
	}
	return q.limit(x)
}

// addOwn adds a term that the message has, in English or not, once.
func (q *queryTerms) addOwn(x *index, id termID) {
	before := len(q.terms)
	q.add(x, id, 1, "")
	if q.translation == nil || len(q.terms) == before {
		return
	}
	if form, ok := q.translation.forms[id]; ok {
		q.terms[before].weight, q.terms[before].form = form.weight, form
	}
}

// add adds a term that some document has, once.
func (q *queryTerms) add(x *index, id termID, weight float64, implied string) {
	if !x.occurs(id) || !q.seen.mark(int32(id)) {
		return
	}
	q.terms = append(q.terms, queryTerm{term: id, weight: weight, implied: implied})
}

// imply adds what the terms last read, of the message s, imply: synonyms, and the words
// implied by its tokens' forms.
func (q *queryTerms) imply(s string, x *index, others synonyms, weights *Weights) []queryTerm {
	own := len(q.terms)
	for i := range own {
		q.stand(x, others[x.lexicon.texts[q.terms[i].term]], weights.Synonym)
	}
	for _, word := range q.unknown {
		q.stand(x, others[text.Stem(word)], weights.SynonymOfUnknown)
	}
	if weights.Signal > 0 {
		head, _ := clipQuery(s)
		text.Signals(head, func(word string) {
			if id, ok := x.lexicon.find([]byte(word)); ok && id != noTerm {
				q.add(x, id, weights.Signal, impliedBySignal)
			}
		})
	}
	return q.terms
}

// understood reports whether an embedder knows one of the words that no document has.
func (q *queryTerms) understood(e Embedder) bool {
	return slices.ContainsFunc(q.unknown, func(word string) bool {
		return e.Knows(word) || e.Knows(text.Stem(word))
	})
}

// stand adds the terms that may replace another.
func (q *queryTerms) stand(x *index, others []termID, weight float64) {
	if weight == 0 {
		return
	}
	for _, id := range others {
		q.add(x, id, weight, impliedBySynonym)
	}
}

// limit keeps the maxQueryTerms most informative terms.
func (q *queryTerms) limit(x *index) []queryTerm {
	if len(q.terms) <= maxQueryTerms {
		return q.terms
	}
	byRarity := slices.Clone(q.terms)
	slices.SortStableFunc(byRarity, func(a, b queryTerm) int {
		switch ia, ib := x.idf[a.term], x.idf[b.term]; {
		case ia > ib:
			return -1
		case ia < ib:
			return 1
		}
		return 0
	})
	q.seen.reset()
	for _, t := range byRarity[:maxQueryTerms] {
		q.seen.mark(int32(t.term))
	}
	q.terms = slices.DeleteFunc(q.terms, func(t queryTerm) bool { return !q.seen.has(int32(t.term)) })
	return q.terms
}

// maxContextTerms is how many words of pasted text count, the rarest ones.
const maxContextTerms = 16

// readContext adds the terms of a pasted text to those read before.
func (q *queryTerms) readContext(s string, x *index, weight float64) []queryTerm {
	own := len(q.terms)
	q.tokenizer.Each(s, func(word []byte, form text.Form) {
		if id, ok := x.lexicon.find(word); ok && id != noTerm && form != text.Whole {
			q.add(x, id, weight, impliedByPasted)
		}
	})
	pasted := q.terms[own:]
	slices.SortStableFunc(pasted, func(a, b queryTerm) int { return cmp.Compare(x.idf[b.term], x.idf[a.term]) })
	q.terms = q.terms[:own+min(len(pasted), maxContextTerms)]
	return q.terms
}

// synonyms maps a stem to the terms that may replace it.
type synonyms map[string][]termID

// newSynonyms resolves the synonyms that a lexicon has.
func newSynonyms(l *lexicon) synonyms {
	table := synonyms{}
	for _, pair := range text.SynonymPairs() {
		if id, ok := l.stems[pair.Other]; ok {
			table[pair.Stem] = append(table[pair.Stem], id)
		}
	}
	return table
}
