package ranker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/philippgille/chromem-go"
)

// providerVectors holds the vectors of one embedding provider's model for the documents
// of one version.
//
// chromem-go stores them by text, so that the next version reuses those of the same texts
// while the provider is called for others. Queries scan the matrix, whose rows share that
// memory. chromem-go's own query took three to six times a flat scan at 500 to 50,000
// documents, orders equals at random and starts goroutines; its files, one per document,
// are not atomic.
type providerVectors struct {
	model      string
	collection *chromem.Collection
	*matrix
}

// dimension returns the common length of the non-nil vectors, 0 if there are none.
func dimension(vectors [][]float32) (int, error) {
	dim := 0
	for i, v := range vectors {
		switch {
		case len(v) == 0:
		case dim == 0:
			dim = len(v)
		case len(v) != dim:
			return 0, fmt.Errorf("document %d has %d dimensions, others have %d: vectors of two models are mixed", i, len(v), dim)
		}
	}
	return dim, nil
}

// errNoText is returned to chromem-go if it requests an embedding. Every vector is
// supplied, and its default would call a network service.
var errNoText = errors.New("the collection embeds no text")

// newProviderVectors stores the rows of a matrix under their texts.
func newProviderVectors(model string, texts []string, m *matrix) (*providerVectors, error) {
	refuse := func(context.Context, string) ([]float32, error) { return nil, errNoText }
	collection, err := chromem.NewDB().CreateCollection(model, nil, refuse)
	if err != nil {
		return nil, err
	}
	for i, row := range m.rows {
		if row == nil {
			continue
		}
		if err := collection.AddDocument(context.Background(), chromem.Document{ID: texts[i], Embedding: row}); err != nil {
			return nil, err
		}
	}
	return &providerVectors{model: model, collection: collection, matrix: m}, nil
}

// carry returns the vectors for the documents of the next version with known texts, or
// nil.
func (p *providerVectors) carry(docs []Document) *providerVectors {
	if p == nil {
		return nil
	}
	texts := textIDs(docs)
	rows, found := make([][]float32, len(docs)), false
	for i, text := range texts {
		// The only error is that there is none.
		if known, err := p.collection.GetByID(context.Background(), text); err == nil {
			rows[i], found = known.Embedding, true
		}
	}
	if !found {
		return nil
	}
	next, err := newProviderVectors(p.model, texts, newMatrix(p.dim, rows))
	if err != nil { // what was accepted once is accepted again
		return nil
	}
	return next
}

// textIDs returns the provider texts of documents, as IDs.
func textIDs(docs []Document) []string {
	ids := make([]string, len(docs))
	for i := range docs {
		sum := sha256.Sum256([]byte(docs[i].ProviderText()))
		ids[i] = hex.EncodeToString(sum[:])
	}
	return ids
}
