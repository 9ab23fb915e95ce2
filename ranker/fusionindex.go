package ranker

import "sync"

// fusionIndex holds what fused ranking needs of one version.
type fusionIndex struct {
	*index
	options  options
	weights  Weights
	embedded *embedded
	synonyms synonyms
	// names holds the data of each document's name, and nameTerms the words of all; see
	// view.coverage.
	names      []docName
	nameTerms  []termID
	servers    *serverIndex
	companions *companions
	copies     *copyIndex
	// pool holds the working memory of queries.
	pool sync.Pool
}

// newFusionIndex indexes what analyse and embed return, which run at the same time.
func newFusionIndex(o options, analyse func() *analysed, embed func() *embedded) *fusionIndex {
	x := &fusionIndex{options: o, weights: o.weights}
	var vectors sync.WaitGroup
	vectors.Go(func() { x.embedded = embed() })
	x.index = newIndex(analyse(), fusedBM25(&o.weights))
	x.synonyms = newSynonyms(x.lexicon)
	x.servers = newServerIndex(x.index)
	x.companions = newCompanions(x.index, x.servers)
	x.names, x.nameTerms = x.index.docNames()
	x.copies = newCopyIndex(x.analysed, x.servers, o.weights.Duplicate)
	vectors.Wait()
	return x
}

// vectors returns the built-in vectors; nil when there are none.
func (x *fusionIndex) vectors() *matrix {
	if x.embedded == nil {
		return nil
	}
	return x.embedded.matrix
}
