package ranker

import (
	"cmp"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// fusionIndex holds what fused ranking needs of one version.
type fusionIndex struct {
	*index
	options  options
	weights  Weights
	embedded *embedded
	// synonyms maps a stem to the terms that may replace it.
	synonyms map[string][]termID
	// namesakes groups documents by name, for finding copies; see copyGroups.
	namesakes []int32
	// names holds the data of each document's name, and nameTerms the words of all; see
	// view.coverage.
	names      []docName
	nameTerms  []termID
	servers    *serverIndex
	companions *companions
	work       sync.Pool // of *work
}

func newFusionIndex(v *version) *fusionIndex {
	x := &fusionIndex{options: v.options, weights: v.options.weights}
	var vectors sync.WaitGroup
	vectors.Go(func() { x.embedded = v.embed() })
	x.index = newIndex(v.analyse(), v.options.weights.bm25f())
	x.synonyms = synonymTerms(x.lexicon)
	x.servers = newServerIndex(x.index)
	x.companions = newCompanions(x)
	x.names, x.nameTerms = x.index.docNames()
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

// fusion ranks by words and meaning together with the other evidence on the message, the
// tools and the task. Package signals defines what counts.
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
// If Limit is at most three quarters of poolSize, only the documents in the pool of the
// message or of one of its steps are scored, which does not affect so short an answer;
// otherwise all are.
func (r fusion) Rank(q Query) []Match {
	w := r.corpus.fusion().work.Get().(*work)
	defer w.x.work.Put(w)
	if w.open(&q, r); !w.whole.says() {
		return nil
	}

	// Candidates: what fits the message, one of its steps or the earlier messages, and
	// what was fetched for a similar one.
	w.consider(w.whole.pool)
	w.consider(w.steps.rank(w))
	w.consider(w.earlier.pool)
	w.remembered = q.Memory.recall(q.Text, w.x.analysed.ordinals, &w.tokenizer)
	for doc := range w.remembered {
		w.consider([]int32{doc})
	}

	// Score them without the memory, whose part is a share of the best score. What the
	// best tools need comes behind them.
	w.servers.read(w, &q)
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
	ranked := newTop(w.x.analysed.docs, limit, len(w.candidates))
	for _, c := range w.candidates {
		if c.score > 0 {
			ranked.offer(Match{Doc: int(c.doc), Score: c.score})
		}
	}
	found := w.copies.holdBack(w.x, ranked.take())
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit:q.Limit]
	}
	if q.Explain {
		e := newExplainer(w, q)
		for i := range found {
			found[i].Parts = e.parts(found[i])
		}
	}
	return slices.Clip(found)
}
