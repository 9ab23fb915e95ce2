package ranker

import (
	"math"
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// typicalWords is the BM25 score that the best document has for a message that
// matches well. Word scores are divided by the geometric mean of this and the
// best score for the message at hand. Dividing by the latter alone would give a
// poor best match full weight; dividing by typicalWords alone would let the
// words outweigh all other signals for long messages.
const typicalWords = 15.0

// view is one reading of the message, whole or a step of it, with the fit of documents.
type view struct {
	x *fusionIndex
	selection
	text string
	// context is the text pasted beside it, or "".
	context string
	terms   []queryTerm
	words   scores
	query   queryTerms
	// wordScale converts a sum of impacts into the words' part of a fused score; 0 if no
	// document shares a word.
	wordScale float64

	// meaningOnly ignores words if there is a vector.
	meaningOnly bool
	meaning     similarity
	// provider is the same by an embedding provider's vectors, if the query has one.
	provider similarity
	// pool holds the documents to score in full, each once.
	pool []int32
}

// newView returns a view without a text. translation is that of the texts that it will
// read, or nil.
func newView(x *fusionIndex, a *admission, t *translation) *view {
	v := &view{x: x, selection: newSelection(a), words: newScores(len(x.analyses))}
	v.query.seen, v.query.translation = newMarks(len(x.lexicon.texts)), t
	return v
}

// read sets the text and pools about the given number of documents from each list. vector
// is its embedding by the corpus's provider, or nil.
func (v *view) read(s string, pool int, provider *matrix, vector []float32) {
	v.text, v.context = s, ""
	if v.exhaustive {
		pool = len(v.allowed)
	}
	v.words.reset()
	v.terms = v.query.read(s, v.x.index, true)
	v.terms = v.query.imply(s, v.x.index, v.x.synonyms, &v.x.weights)
	v.words.addTerms(v.x.index, v.terms)
	v.pool = v.pool[:0]
	v.seen.reset()
	v.scaleWords(pool)
	v.meaning.open(v.x.vectors())
	if v.x.weights.Meaning > 0 && v.meant() {
		v.meaning.read(v.x.embedded, s)
	}
	v.provider.open(provider)
	v.provider.take(vector)
	for _, sim := range []*similarity{&v.meaning, &v.provider} {
		sim.nearest(&v.selection, pool, v.add)
		sim.scale(v.pool)
	}
}

// forget clears the view.
func (v *view) forget() {
	v.text, v.terms, v.query.said, v.pool = "", nil, 0, v.pool[:0]
}

// says reports whether the text has a word that is neither filler nor a stop word.
// Without one it requests nothing, and its vector has no meaning.
func (v *view) says() bool { return len(v.terms) > 0 || v.query.said > 0 }

// meant reports whether the built-in vector of the text is meaningful: some document has
// one of its words, or the embedder knows one. Even an unknown text has nearest
// documents.
func (v *view) meant() bool {
	e := v.x.options.embedder
	return len(v.terms) > 0 || e != nil && v.query.understood(e)
}

// hasAll reports whether the text itself contains all of the terms.
func (v *view) hasAll(ids []termID) bool {
	for _, id := range ids {
		if !slices.ContainsFunc(v.terms, func(t queryTerm) bool { return t.term == id && t.written() }) {
			return false
		}
	}
	return true
}

// add puts a document into the pool once.
func (v *view) add(doc int32) {
	if v.seen.mark(doc) {
		v.pool = append(v.pool, doc)
	}
}

// scaleWords sets wordScale and pools the documents with the highest word scores.
func (v *view) scaleWords(pool int) {
	v.best.reset(pool)
	for _, doc := range v.words.touched {
		if v.admits(doc) {
			v.best.offer(v.words.sums[doc], doc)
		}
	}
	v.wordScale = 0
	top := 0.0
	for _, kept := range v.best.kept {
		v.add(kept.doc)
		top = max(top, kept.score)
	}
	if top > 0 {
		v.wordScale = 1 / math.Sqrt(top*typicalWords)
	}
}

// wordsPart and meaningPart return the two parts of a document's fit.
func (v *view) wordsPart(doc int32) float64 {
	return (1 - v.meaningShare()) * v.wordScale * v.words.get(doc)
}

func (v *view) meaningPart(doc int32) float64 { return v.meaningShare() * v.similarity(doc) }

// score returns how well a document fits: its words' and its meaning's part, each rounded
// to the grid.
func (v *view) score(doc int32) float64 {
	return signals.Round(v.wordsPart(doc)) + signals.Round(v.meaningPart(doc))
}

// meaningShare returns the share of the meaning in the score: 0 or 1 if only one of the
// two exists.
func (v *view) meaningShare() float64 {
	switch {
	case !v.meaning.active && !v.provider.active:
		return 0
	case v.meaningOnly:
		return 1
	}
	return v.x.weights.Meaning
}

// similarity returns the normalised similarity of a document by all available vectors,
// between 0 and 1.
func (v *view) similarity(doc int32) float64 {
	switch {
	case !v.provider.active || !v.provider.matrix.has(doc):
		return v.meaning.of(doc)
	case !v.meaning.active:
		return v.provider.of(doc)
	}
	p := v.x.weights.Provider
	return float64(p*v.provider.of(doc)) + float64((1-p)*v.meaning.of(doc))
}

// fit returns the score of a document, 0 if the text says nothing.
func (v *view) fit(doc int32) float64 {
	if !v.says() {
		return 0
	}
	return v.score(doc)
}

// coverage returns the share of a document's name that the message has or implies,
// weighted by idf. It is 0 if only meaning ranks.
func (v *view) coverage(doc int32) float64 {
	name := &v.x.names[doc]
	if !v.words.seen.has(doc) || name.rarity == 0 || v.meaningShare() == 1 {
		return 0
	}
	had := 0.0
	for _, id := range v.x.nameTerms[name.first:name.end] {
		if v.query.seen.has(int32(id)) {
			had += float64(v.x.idf[id])
		}
	}
	return had / name.rarity
}

// mentions reports whether the message contains all of the words as written.
func (v *view) mentions(words []string, tokenizer *text.Tokenizer) bool {
	missing := len(words)
	found := make([]bool, len(words))
	head, tail := clipQuery(v.text)
	for _, s := range []string{head, tail, v.context} {
		tokenizer.Each(s, func(word []byte, _ text.Form) {
			if i := slices.Index(words, string(word)); i >= 0 && !found[i] {
				found[i] = true
				missing--
			}
		})
	}
	return missing == 0
}

// readContext adds words of pasted text to the message, because products, files and
// errors indicate where the request belongs. They add no candidates.
func (v *view) readContext(context string) {
	if context == "" || v.x.weights.Pasted == 0 {
		return
	}
	v.context = context
	own := len(v.terms)
	v.terms = v.query.readContext(context, v.x.index, v.x.weights.Pasted)
	v.words.addTerms(v.x.index, v.terms[own:])
	if v.wordScale == 0 { // the request shares no word with any tool
		v.wordScale = 1 / typicalWords
	}
}

// candidate is a document that may be in the answer.
type candidate struct {
	doc   int32
	score float64
	// words and meaning are the two parts of how well it fits the message.
	words, meaning float64
}

// candidate returns a document as a candidate, without its score.
func (v *view) candidate(doc int32) candidate {
	return candidate{doc: doc, words: v.wordsPart(doc), meaning: v.meaningPart(doc)}
}
