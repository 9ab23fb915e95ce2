package ranker

import (
	"cmp"
)

// fusedWords is the name of fused ranking without vectors.
const fusedWords Kind = "bm25f"

// newFusion returns the index of fused ranking, with its working memory.
func newFusion(o options, analyse func() *analysed, embed func() *embedded) *fusionIndex {
	x := newFusionIndex(o, analyse, embed)
	x.pool.New = func() any { return newWork(x) }
	return x
}

// fusion ranks by words and meaning together with the other evidence on the message, the
// tools and the task. Package signals defines what counts.
type fusion struct {
	index func() *fusionIndex
	// provider holds the vectors of an embedding provider; nil without one.
	provider *matrix
	// kind is [Hybrid], [Embeddings] or fusedWords.
	kind Kind
}

// Name implements [Ranker].
func (r fusion) Name() string { return string(r.kind) }

// Rank implements [Ranker].
//
// If Limit is at most three quarters of poolSize, only the documents in the pool of the
// message or of one of its steps are scored, which does not affect so short an answer;
// otherwise all are.
func (r fusion) Rank(q Query) []Match {
	w := r.index().pool.Get().(*work)
	defer w.x.pool.Put(w)
	if w.open(&q, r.provider, r.kind == Embeddings); !w.whole.says() {
		return nil
	}

	// Candidates: what fits the message, one of its steps or the earlier messages, and
	// what was fetched for a similar one.
	w.consider(w.whole.pool)
	w.consider(w.steps.merge(w.x.weights.StepDecay))
	w.consider(w.earlier.pool)
	w.remembered = q.Memory.recall(q.Text, w.x.analysed.ordinals, &w.tokenizer)
	for doc := range w.remembered {
		w.consider([]int32{doc})
	}

	// Score them without the memory, whose part is a share of the best score. What the
	// best tools need comes behind them.
	w.servers.read(w.whole, w.candidates, &q)
	best := w.score(&q, nil)
	if len(w.remembered) > 0 {
		w.recallScale = cmp.Or(best, 1)
		w.score(&q, func(doc int32) bool { return w.remembered[doc] > 0 })
	}
	if w.x.weights.Needed > 0 {
		(&late{w: w}).bring()
		w.score(&q, func(doc int32) bool { return w.needed[doc].score > 0 })
	}
	return w.answer(&q)
}

// score scores the candidates for which which returns true, all if it is nil. It returns
// the best of these scores, at least 0.
func (w *work) score(q *Query, which func(doc int32) bool) float64 {
	best := 0.0
	for i := range w.candidates {
		c := &w.candidates[i]
		if which != nil && !which(c.doc) {
			continue
		}
		w.known = w.facts(q, c)
		c.score, _ = w.x.weights.Signals.Score(&w.known)
		best = max(best, c.score)
	}
	return best
}

// answer returns the best candidates with a positive score, with copies of tools lowered.
func (w *work) answer(q *Query) []Match {
	limit := q.Limit
	if limit > 0 {
		limit += duplicateMargin
	}
	ranked := newBestDocs(w.x.analysed.docs, limit, len(w.candidates))
	for _, c := range w.candidates {
		if c.score > 0 {
			ranked.offer(c.score, c.doc)
		}
	}
	held := w.copies.holdBack(w.x.copies, ranked.sorted())
	if q.Limit > 0 {
		held = held[:min(len(held), q.Limit)]
	}
	found := matches(held)
	if q.Explain {
		e := newExplainer(w, q)
		for i := range found {
			found[i].Parts = e.parts(found[i])
		}
	}
	return found
}
