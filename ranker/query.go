package ranker

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

const (
	// maxQueryText is how many bytes of a message are read. Of a longer one, the
	// beginning and the end are read, because the request is before or after pasted text,
	// rarely within.
	maxQueryText = 16 << 10
	// maxQueryTerms is how many distinct terms of a message count, the rarest in the
	// corpus.
	maxQueryTerms = 192
)

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
	form form
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
func (q *queryTerms) imply(s string, x *fusionIndex) []queryTerm {
	own := len(q.terms)
	for i := range own {
		q.stand(x, x.lexicon.texts[q.terms[i].term], x.weights.Synonym)
	}
	for _, word := range q.unknown {
		q.stand(x, text.Stem(word), x.weights.SynonymOfUnknown)
	}
	if x.weights.Signal > 0 {
		head, _ := clipQuery(s)
		text.Signals(head, func(word string) {
			if id, ok := x.lexicon.find([]byte(word)); ok && id != noTerm {
				q.add(x.index, id, x.weights.Signal, impliedBySignal)
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

// stand adds the terms that may replace a stem.
func (q *queryTerms) stand(x *fusionIndex, stem string, weight float64) {
	if weight == 0 {
		return
	}
	for _, id := range x.synonyms[stem] {
		q.add(x.index, id, weight, impliedBySynonym)
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

// writeOut adds the words of tools for jargon. A message that is read in part is
// unchanged.
func writeOut(message string) string {
	if len(message) > maxQueryText {
		return message
	}
	return text.WriteOut(message)
}

// maxLongText is how many bytes of a long message are split into steps, and
// translated.
const maxLongText = 16 << 10

// clipLong returns a message or, of a longer one than maxLongText, its beginning
// and its end.
func clipLong(message string) string {
	const half = maxLongText / 2
	if len(message) <= maxLongText {
		return message
	}
	return strings.ToValidUTF8(message[:half]+" "+message[len(message)-half:], "")
}

// clipQuery returns the parts of a message that are read: all of it, or the first and the
// last half of maxQueryText bytes.
func clipQuery(s string) (head, tail string) {
	if len(s) <= maxQueryText {
		return s, ""
	}
	h, t := maxQueryText/2, len(s)-maxQueryText/2
	for h > 0 && !utf8.RuneStart(s[h]) {
		h--
	}
	for t < len(s) && !utf8.RuneStart(s[t]) {
		t++
	}
	return s[:h], s[t:]
}
