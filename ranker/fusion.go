package ranker

import (
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// fusionIndex is everything about one version that fused ranking needs.
type fusionIndex struct {
	*index
	options options
	weights Weights
	// signalWeights holds the weights by signal.
	signalWeights signalWeights
	embedded      *embedded
	// synonyms holds the terms that may stand for a stem.
	synonyms map[string][]termID
	// namesakes groups documents by name, for finding copies; see copyGroups.
	namesakes []int32
	// nameRarities holds how rare each document's name is; see coverage.
	nameRarities []float64
	servers      *serverIndex
	companions   *companions
	work         sync.Pool // of *work
}

func newFusionIndex(v *version) *fusionIndex {
	x := &fusionIndex{options: v.options, weights: v.options.weights}
	x.signalWeights = newSignalWeights(&x.weights)
	var vectors sync.WaitGroup
	vectors.Go(func() { x.embedded = v.embed() })
	x.index = newIndex(v.analyse(), v.options.weights.bm25f())
	x.synonyms = synonymTerms(x.lexicon)
	x.servers = newServerIndex(x.index)
	x.companions = newCompanions(x)
	x.nameRarities = nameRarities(x.index)
	x.namesakes = copyGroups(x.analyses)
	vectors.Wait()
	x.work.New = func() any { return newWork(x) }
	return x
}

// synonymTerms resolves the synonyms that a lexicon has.
func synonymTerms(l *lexicon) map[string][]termID {
	table := map[string][]termID{}
	for _, pair := range text.SynonymPairs() {
		if id, ok := l.stems[pair.Other]; ok {
			table[pair.Stem] = append(table[pair.Stem], id)
		}
	}
	return table
}

// vectors returns the built-in vectors; nil when there are none.
func (x *fusionIndex) vectors() *matrix {
	if x.embedded == nil {
		return nil
	}
	return x.embedded.matrix
}

// fusion ranks by words and meaning together, and by what else is known of
// the message, the tools and the task. See signals for what counts.
type fusion struct {
	corpus *Corpus
	kind   Kind
}

// Name implements [Ranker].
func (r fusion) Name() string {
	switch {
	case r.corpus.options.embedder == nil && r.corpus.provider == nil:
		return "bm25f"
	case r.kind == Embeddings:
		return string(Embeddings)
	}
	return string(Hybrid)
}

// Rank implements [Ranker].
//
// When Limit is at most three quarters of poolSize, only the documents in the pool of
// the message or of one of its steps are scored, which an answer that short
// does not notice; otherwise all are.
func (r fusion) Rank(q Query) []Match {
	x := r.corpus.fusion()
	w := x.work.Get().(*work)
	defer x.work.Put(w)
	w.open(&q)
	request, context := splitPasted(q.Text)
	if x.weights.Pasted >= 1 {
		request, context = q.Text, ""
	}
	message := writeOut(w.translation.translate(request, x, &w.tokenizer))
	w.whole.meaningOnly, w.step.meaningOnly = r.kind == Embeddings, r.kind == Embeddings
	w.whole.read(message, w, poolSize, r.corpus.providerMatrix(), q.Vector)
	w.whole.readContext(context)
	if !w.whole.says() {
		return nil
	}
	w.whole.feedBack()
	for _, doc := range w.whole.pool {
		w.consider(doc)
	}
	w.readSignals(&q)
	w.scoreCandidates(&q)
	w.bringNeeded(&q)
	found := w.answer(x, &q)
	if q.Explain {
		spelling := newSpelling(x.index, message)
		for i := range found {
			found[i].Parts = w.explain(&q, found[i], spelling)
		}
	}
	return found
}

// scoreCandidates scores every candidate: first by all that is known but the
// memory, whose share depends on the best of these scores.
func (w *work) scoreCandidates(q *Query) {
	w.recallScale = 0
	top := 0.0
	for i := range w.candidates {
		c := &w.candidates[i]
		b := w.breakdown(q, c.doc)
		c.score = b.total()
		top = max(top, c.score)
	}
	if len(w.remembered) == 0 {
		return
	}
	w.recallScale = 1
	if top > 0 {
		w.recallScale = top
	}
	for i := range w.candidates {
		if c := &w.candidates[i]; w.remembered[c.doc] > 0 {
			b := w.breakdown(q, c.doc)
			c.score = b.total()
		}
	}
}

// candidate is a document that may be in the answer.
type candidate struct {
	doc   int32
	score float64
}

// consider makes a document a candidate, once.
func (w *work) consider(doc int32) {
	if w.candidateOf.mark(doc) {
		w.candidates = append(w.candidates, candidate{doc: doc})
	}
}

// answer returns the best candidates with a positive score, copies of a tool
// held back.
func (w *work) answer(x *fusionIndex, q *Query) []Match {
	limit := q.Limit
	if limit > 0 {
		limit += duplicateMargin
	}
	ranked := newTop(x.analysed.docs, limit, len(w.candidates))
	for _, c := range w.candidates {
		if c.score > 0 {
			ranked.offer(Match{Doc: int(c.doc), Score: c.score})
		}
	}
	found := w.holdBackCopies(ranked.take())
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit:q.Limit]
	}
	return slices.Clip(found)
}
