package ranker

import (
	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// work is the working memory of one fused query, reused from query to query.
type work struct {
	x *fusionIndex
	// allowed caches Query.Eligible for each document; filtered reports whether there is
	// one.
	allowed  []bool
	filtered bool
	// exhaustive reports that every document is scored, for a long answer.
	exhaustive bool

	seen      marks
	best      best
	distances []uint16
	// histogram counts documents by distance; it grows with the vectors.
	histogram []int

	whole, step, earlier view
	steps                stepScores
	candidates           []candidate
	candidateOf          marks
	// known holds the facts of the candidate being scored.
	known   signals.Facts
	servers serverScores
	// asked holds the kinds of action that the message requests; harmless reports that it
	// only asks to see something.
	asked    action
	harmless bool
	// translation is the message's translation.
	translation translation
	// remembered holds the similarity of the message to one that a document was fetched
	// for; recallScale is the value of an equal message.
	remembered  map[int32]float64
	recallScale float64
	copies      copyFinder
	// needed holds the best claim on each document.
	needed    map[int32]need
	tokenizer text.Tokenizer
}

// candidate is a document that may be in the answer.
type candidate struct {
	doc   int32
	score float64
	// words and meaning are the two parts of how well it fits the message.
	words, meaning float64
}

// candidate returns a document as a candidate, without its score.
func (w *work) candidate(doc int32) candidate {
	return candidate{doc: doc, words: w.whole.wordsPart(doc), meaning: w.whole.meaningPart(doc)}
}

func newWork(x *fusionIndex) *work {
	n := len(x.analyses)
	w := &work{
		x: x, allowed: make([]bool, n), distances: make([]uint16, n),
		seen: newMarks(n), candidateOf: newMarks(n), steps: newStepScores(n), needed: map[int32]need{},
	}
	for _, v := range []*view{&w.whole, &w.step, &w.earlier} {
		v.x = x
		v.words = newScores(n)
		v.query.seen = newMarks(len(x.lexicon.texts))
	}
	w.whole.query.translation, w.step.query.translation = &w.translation, &w.translation
	return w
}

// open clears the previous query and reads the message of this one and the earlier ones.
func (w *work) open(q *Query, r fusion) {
	w.reset(q)
	request, context := splitPasted(q.Text)
	if w.x.weights.Pasted >= 1 {
		request, context = q.Text, ""
	}
	message := writeOut(w.translation.translate(request, w.x, &w.tokenizer))
	w.whole.meaningOnly, w.step.meaningOnly = r.kind == Embeddings, r.kind == Embeddings
	w.whole.read(message, w, poolSize, r.corpus.providerMatrix(), q.Vector)
	w.whole.readContext(context)
	w.whole.feedBack()
	w.asked = actionsIn(clipLong(message), inRequest, &w.tokenizer)
	w.harmless = actionsIn(clipLong(message), plainly, &w.tokenizer) == looksUp
	if before := q.before(w.x.analysed.docs); before != "" {
		var translation translation
		w.earlier.read(writeOut(translation.translate(before, w.x, &w.tokenizer)), w, stepPool, nil, nil)
	}
}

// reset forgets a query.
func (w *work) reset(q *Query) {
	w.filtered = q.Eligible != nil
	if w.filtered {
		for doc := range w.allowed {
			w.allowed[doc] = q.Eligible(doc)
		}
	}
	w.exhaustive = q.Limit <= 0 || q.Limit > poolSize*3/4
	w.steps.reset()
	w.earlier.forget()
	w.servers.reset(w.x.servers.count)
	w.recallScale = 0
	clear(w.needed)
	w.candidates = w.candidates[:0]
	w.candidateOf.reset()
}

// admits reports whether a document may be returned.
func (w *work) admits(doc int32) bool { return !w.filtered || w.allowed[doc] }

// consider adds documents that may be returned to the candidates, each once. The message
// must have been read.
func (w *work) consider(docs []int32) {
	for _, doc := range docs {
		if w.admits(doc) && w.candidateOf.mark(doc) {
			w.candidates = append(w.candidates, w.candidate(doc))
		}
	}
}
