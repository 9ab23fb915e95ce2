package ranker

import (
	"sync"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// usesWeight is what one recent use of a tool adds to its score, after
// Wayland Core's current curator.
const usesWeight = 0.5

// bm25Index is the index of plain BM25 with its working memory.
type bm25Index struct {
	*index
	pool sync.Pool // of *bm25Work
}

// bm25Work is the working memory of one query.
type bm25Work struct {
	scores
	query queryTerms
}

func newBM25Index(x *index) *bm25Index {
	b := &bm25Index{index: x}
	b.pool.New = func() any {
		w := &bm25Work{scores: newScores(len(x.analyses))}
		w.query.seen = newMarks(len(x.lexicon.texts))
		return w
	}
	return b
}

// bm25Ranker ranks by the words that a message and a document share.
type bm25Ranker struct{ index func() *bm25Index }

// Name implements [Ranker].
func (bm25Ranker) Name() string { return string(BM25) }

// Rank implements [Ranker]. A document's score is the sum of BM25's impact over the
// message's distinct terms, plus 0.5 for each of its recent uses. A document without a
// common term is not found, whatever its uses.
func (r bm25Ranker) Rank(q Query) []Match {
	x := r.index()
	s := x.pool.Get().(*bm25Work)
	defer x.pool.Put(s)
	s.reset()
	terms := s.query.read(q.Text, x.index, false)
	s.addTerms(x.index, terms)
	best := newBestDocs(x.analysed.docs, q.Limit, len(s.touched))
	for _, doc := range s.touched {
		if q.Eligible == nil || q.Eligible(int(doc)) {
			best.offer(s.sums[doc]+q.usesBonus(int(doc)), doc)
		}
	}
	found := matches(best.sorted())
	if q.Explain {
		spelling := newSpelling(x.index, q.Text)
		for i := range found {
			found[i].Parts = bm25Parts(x.index, terms, &q, found[i], spelling)
		}
	}
	return found
}

// usesBonus is the score of a document's recent uses, a multiple of the step
// of [signals.Round].
func (q *Query) usesBonus(doc int) float64 {
	if q.Uses == nil {
		return 0
	}
	return signals.Round(usesWeight * max(0, q.Uses(doc)))
}

// bm25Parts returns the parts of a plain BM25 score: one for each field that
// matched, with the words that did, and one for recent use.
func bm25Parts(x *index, terms []queryTerm, q *Query, m Match, spelling *spelling) []Part {
	bonus := q.usesBonus(m.Doc)
	parts := fieldShares(x, terms, m.Doc, m.Score-bonus, 1, spelling)
	if bonus != 0 {
		parts = append(parts, Part{Name: "recent use", Value: bonus})
	}
	return parts
}
