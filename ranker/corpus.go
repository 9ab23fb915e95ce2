package ranker

import (
	"sync"
	"sync/atomic"
)

// Kind names a way of ranking, as the setting winnow.ranker spells it.
type Kind string

// The kinds of ranker.
const (
	// Auto is the best ranker that the corpus has the data for.
	Auto Kind = "auto"
	// Hybrid fuses words and embeddings.
	Hybrid Kind = "hybrid"
	// Embeddings ranks by the similarity of embeddings.
	Embeddings Kind = "embeddings"
	// BM25 ranks by words.
	BM25 Kind = "bm25"
	// Keyword is the original formula of Wayland Core.
	Keyword Kind = "keyword"
)

// Corpus is one version of the catalogue, immutable and safe for concurrent
// use. Its indexes are built by the first query that needs them.
type Corpus struct {
	*version
	// provider holds the vectors of an embedding provider; nil without one.
	provider *providerVectors
}

// version is what corpora of the same documents share.
type version struct {
	docs    []Document
	options options
	// ordinals finds a document by its ID.
	ordinals func() map[string]int

	// analysing and embedding guard the making of analysed and of embedded,
	// which are made side by side. Readers use the pointers alone.
	analysing, embedding sync.Mutex
	// analysed and embedded hold the documents' terms and built-in vectors
	// once they are needed. They are atomic so that the next version can take
	// them over at any moment without waiting for a build.
	analysed atomic.Pointer[analysed]
	embedded atomic.Pointer[embedded]
	// earlierTerms and earlierVectors are the newest ones of the versions
	// before. They are dropped, for the sake of memory, when their content
	// has been taken over.
	earlierTerms   atomic.Pointer[analysed]
	earlierVectors atomic.Pointer[embedded]

	plain   func() *bm25Index
	keyword func() *keywordIndex
	fusion  func() *fusionIndex
}

// NewCorpus returns the corpus of docs, which must not change afterwards and
// whose IDs must differ. It is cheap: nothing is tokenised or embedded before
// the first query. The work done for prev, which may be nil, is reused for
// every document that has the same ID and text there.
func NewCorpus(docs []Document, prev *Corpus, opts ...Option) *Corpus {
	v := &version{docs: docs, options: newOptions(opts)}
	if prev != nil {
		v.earlierTerms.Store(newest(&prev.analysed, &prev.earlierTerms))
		v.earlierVectors.Store(newest(&prev.embedded, &prev.earlierVectors))
	}
	v.ordinals = sync.OnceValue(func() map[string]int {
		byID := make(map[string]int, len(docs))
		for i := range docs {
			byID[docs[i].ID] = i
		}
		return byID
	})
	v.plain = sync.OnceValue(func() *bm25Index { return newBM25Index(newIndex(v.analyse(), plainBM25())) })
	v.keyword = sync.OnceValue(func() *keywordIndex { return newKeywordIndex(v.docs) })
	v.fusion = sync.OnceValue(func() *fusionIndex { return newFusionIndex(v) })
	return &Corpus{version: v}
}

// newest returns what a version has made itself or, when it was never
// queried, what it has from the versions before it; nil when there is nothing.
func newest[T any](own, earlier *atomic.Pointer[T]) *T {
	// The order matters: a build stores its own before it drops the earlier.
	before := earlier.Load()
	if made := own.Load(); made != nil {
		return made
	}
	return before
}

// Len returns the number of documents.
func (c *Corpus) Len() int { return len(c.docs) }

// Document returns the document with ordinal i, 0 ≤ i < Len.
func (c *Corpus) Document(i int) Document { return c.docs[i] }

// Ranker returns the ranker of the given kind; an unknown kind is [Auto]. Its
// Name says what really ranks: without vectors, [Auto], [Hybrid] and
// [Embeddings] rank by words and say so.
func (c *Corpus) Ranker(kind Kind) Ranker {
	switch kind {
	case Keyword:
		return keywordRanker{c}
	case BM25:
		return bm25{c}
	}
	return fusion{c, kind}
}

// analyse returns the documents' terms, finding them when this is the first
// call.
func (v *version) analyse() *analysed {
	v.analysing.Lock()
	defer v.analysing.Unlock()
	if a := v.analysed.Load(); a != nil {
		return a
	}
	a := analyseAll(v.docs, v.ordinals(), v.earlierTerms.Load())
	v.analysed.Store(a)
	v.earlierTerms.Store(nil)
	return a
}

// embed returns the documents' built-in vectors, making them when this is the
// first call; nil without an embedder.
func (v *version) embed() *embedded {
	if v.options.embedder == nil {
		return nil
	}
	v.embedding.Lock()
	defer v.embedding.Unlock()
	if e := v.embedded.Load(); e != nil {
		return e
	}
	e := embedAll(v.docs, v.ordinals(), v.options, v.earlierVectors.Load())
	v.embedded.Store(e)
	v.earlierVectors.Store(nil)
	return e
}
