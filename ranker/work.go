package ranker

import "github.com/winnow-mcp/winnow/ranker/internal/text"

// work is the working memory of one fused query, reused from query to query.
type work struct {
	x *fusionIndex
	// allowed is the answer of Query.Eligible for each document; it is only
	// filled, and filtered only true, when there is one.
	allowed  []bool
	filtered bool
	// exhaustive says that every document is looked at, for a long answer.
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
	servers              serverScores
	// harmless says that the message only asks to see something, hasEarlier
	// that there are earlier messages or calls.
	harmless, hasEarlier bool
	// asked holds the kinds of action that the message asks for.
	asked action
	// translation says what the message has in other languages.
	translation translation
	// remembered holds how alike the message is to one that a document was
	// fetched for, recallScale what the same message is worth.
	remembered  map[int32]float64
	recallScale float64
	namesakes   namesakes
	// needed holds, by document, the best claim on it.
	needed    map[int32]need
	tokenizer text.Tokenizer
}

func newWork(x *fusionIndex) *work {
	n := len(x.analyses)
	w := &work{
		x: x, allowed: make([]bool, n), distances: make([]uint16, n),
		seen: newMarks(n), candidateOf: newMarks(n), steps: newStepScores(n),
		remembered: map[int32]float64{}, needed: map[int32]need{},
	}
	for _, v := range []*view{&w.whole, &w.step, &w.earlier} {
		v.x = x
		v.words = newScores(n)
		v.query.seen = newMarks(len(x.lexicon.texts))
	}
	w.whole.query.translation, w.step.query.translation = &w.translation, &w.translation
	return w
}

// open prepares for a query.
func (w *work) open(q *Query) {
	w.filtered = q.Eligible != nil
	if w.filtered {
		for doc := range w.allowed {
			w.allowed[doc] = q.Eligible(doc)
		}
	}
	w.exhaustive = q.Limit <= 0 || q.Limit > poolSize*3/4
	w.harmless, w.hasEarlier = false, false
	w.steps.reset()
	w.servers.reset(w.x.servers.count)
	clear(w.remembered)
	clear(w.needed)
	w.candidates = w.candidates[:0]
	w.candidateOf.reset()
}

// admits reports whether a document may be returned.
func (w *work) admits(doc int32) bool { return !w.filtered || w.allowed[doc] }
