package ranker

import (
	"fmt"
	"slices"
	"sync"
)

// Corpus is one version of the catalogue, immutable and safe for concurrent
// use. Its indexes are built by the first query that needs them, or
// by Prepare.
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
// must differ. It is cheap: nothing is tokenised or embedded before the first query or [Corpus.Prepare]. It
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
	v.fusion = sync.OnceValue(func() *fusionIndex { return newFusion(v.options, v.analyse, v.embed) })
	c := &Corpus{version: v}
	if prev != nil {
		c.provider = prev.provider.carry(docs)
	}
	return c
}

// Prepare builds what [Auto] ranks by, as the first query does otherwise. Once stop
// returns true it leaves the steps that follow to that query.
func (c *Corpus) Prepare(stop func() bool) {
	for _, step := range []func(){func() { c.expand() }, func() { c.analyse() }, func() { c.embed() }, func() { c.fusion() }} {
		if stop() {
			return
		}
		step()
	}
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
		return keywordRanker{c.docs, c.keyword}
	case BM25:
		return bm25Ranker{c.plain}
	case Embeddings:
	default:
		kind = Hybrid
	}
	if c.provider != nil {
		return fusion{c.fusion, c.provider.matrix, kind}
	}
	if c.options.embedder == nil {
		kind = fusedWords
	}
	return fusion{c.fusion, nil, kind}
}

// Wants returns what a message needs. It needs tools if it names a server or, among words
// without meaning, a tool, or refers to a file, a page, an issue and so on.
func (c *Corpus) Wants(message string) Wants { return c.mentionable().wants(message) }

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

// WithVectors returns a corpus of the same documents that also ranks by the
// vectors of an embedding provider's model. vectors holds one for each
// document by ordinal, nil where there is none yet; they are copied and
// brought to unit length. A vector of zeros, or with a NaN or an infinity,
// counts as missing. All must have the same length.
//
// A query is ranked by these vectors when its Vector has their length;
// otherwise, and for documents without one, the built-in ones serve.
func (c *Corpus) WithVectors(model string, vectors [][]float32) (*Corpus, error) {
	if len(vectors) != len(c.docs) {
		return nil, fmt.Errorf("take vectors of %s: %d vectors for %d documents", model, len(vectors), len(c.docs))
	}
	dim, err := dimension(vectors)
	if err != nil {
		return nil, fmt.Errorf("take vectors of %s: %w", model, err)
	}
	if dim == 0 {
		return &Corpus{version: c.version}, nil
	}
	rows := make([][]float32, len(vectors))
	for i, v := range vectors {
		if row := slices.Clone(v); normalise(row) {
			rows[i] = row
		}
	}
	p, err := newProviderVectors(model, textIDs(c.docs), newMatrix(dim, rows))
	if err != nil {
		return nil, fmt.Errorf("keep vectors of %s: %w", model, err)
	}
	return &Corpus{version: c.version, provider: p}, nil
}

// VectorModel returns the model of [Corpus.WithVectors], or "". A new version has that of
// the previous one for the texts that both have.
func (c *Corpus) VectorModel() string {
	if c.provider == nil {
		return ""
	}
	return c.provider.model
}
