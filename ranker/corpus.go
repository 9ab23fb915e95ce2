package ranker

import "sync"

// Kind is a way of ranking, as spelled in the setting winnow.ranker.
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
	// Keyword counts shared words of four letters and more.
	Keyword Kind = "keyword"
)

// Corpus is one version of the catalogue, immutable and safe for concurrent
// use. Its indexes are built by the first query that needs them.
type Corpus struct {
	*version
	// provider holds the vectors of an embedding provider; nil without one.
	provider *providerVectors
}

// version is shared by corpora of the same documents.
type version struct {
	docs    []Document
	options options
	// ordinals maps IDs to documents.
	ordinals func() map[string]int

	// Derived from the documents on first use: their expansions, their terms and their
	// built-in vectors.
	expansions lazily[expanded]
	terms      lazily[analysed]
	vectors    lazily[embedded]

	mentionable func() mentionable
	plain       func() *bm25Index
	keyword     func() *keywordIndex
	fusion      func() *fusionIndex
}

// NewCorpus returns the corpus of docs, which must not change afterwards and whose IDs
// must differ. It is cheap: nothing is tokenised or embedded before the first query. It
// reuses the work for prev, which may be nil, for every document with the same ID and
// text, and a provider's vectors for every one with the same text.
func NewCorpus(docs []Document, prev *Corpus, opts ...Option) *Corpus {
	v := &version{docs: docs, options: newOptions(opts)}
	if prev != nil {
		v.expansions.inherit(&prev.expansions)
		v.terms.inherit(&prev.terms)
		v.vectors.inherit(&prev.vectors)
	}
	v.ordinals = sync.OnceValue(func() map[string]int {
		byID := make(map[string]int, len(docs))
		for i := range docs {
			byID[docs[i].ID] = i
		}
		return byID
	})
	v.mentionable = sync.OnceValue(func() mentionable { return newMentionable(docs) })
	v.plain = sync.OnceValue(func() *bm25Index { return newBM25Index(newIndex(v.analyse(), plainBM25())) })
	v.keyword = sync.OnceValue(func() *keywordIndex { return newKeywordIndex(v.docs) })
	v.fusion = sync.OnceValue(func() *fusionIndex { return newFusionIndex(v) })
	c := &Corpus{version: v}
	if prev != nil {
		c.provider = prev.provider.carry(docs)
	}
	return c
}

// Len returns the number of documents.
func (c *Corpus) Len() int { return len(c.docs) }

// Document returns the document with ordinal i, 0 ≤ i < Len.
func (c *Corpus) Document(i int) Document { return c.docs[i] }

// Ranker returns the ranker of the given kind; an unknown kind means [Auto]. Its Name
// says what really ranks: without vectors, [Auto], [Hybrid] and [Embeddings] rank by
// words.
func (c *Corpus) Ranker(kind Kind) Ranker {
	switch kind {
	case Keyword:
		return keywordRanker{c}
	case BM25:
		return bm25{c}
	}
	return fusion{c, kind}
}

// expand returns the expansions of the documents.
func (v *version) expand() *expanded {
	return v.expansions.get(func(earlier *expanded) *expanded {
		return expandAll(v.docs, v.ordinals(), v.options.expander, earlier)
	})
}

// analyse returns the documents' terms.
func (v *version) analyse() *analysed {
	return v.terms.get(func(earlier *analysed) *analysed { return analyseAll(v.expand(), earlier) })
}

// embed returns the documents' built-in vectors; nil without an embedder.
func (v *version) embed() *embedded {
	if v.options.embedder == nil {
		return nil
	}
	return v.vectors.get(func(earlier *embedded) *embedded { return embedAll(v.expand(), v.options, earlier) })
}
