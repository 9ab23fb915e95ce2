package ranker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/philippgille/chromem-go"
)

// providerVectors is the vectors of one embedding provider's model for the
// documents of one version. chromem-go keeps documents and vectors together;
// queries scan the matrix, which lists the same vectors side by side, since
// chromem-go's own query costs three to six times a flat scan.
type providerVectors struct {
	model      string
	collection *chromem.Collection
	*matrix
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
	p := &providerVectors{model: model, matrix: newMatrix(dim, rows)}
	if p.collection, err = collect(model, c.docs, p.matrix); err != nil {
		return nil, fmt.Errorf("keep vectors of %s: %w", model, err)
	}
	return &Corpus{version: c.version, provider: p}, nil
}

// dimension returns the common length of the vectors that are there, 0 when
// there is none.
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

// errNoText is returned to chromem-go should it ever ask for an embedding:
// every vector is supplied, and its default would call a service on the
// network.
var errNoText = errors.New("the collection embeds no text")

// collect puts the documents that have a vector into a collection that is
// never written again.
func collect(model string, docs []Document, m *matrix) (*chromem.Collection, error) {
	refuse := func(context.Context, string) ([]float32, error) { return nil, errNoText }
	collection, err := chromem.NewDB().CreateCollection(fmt.Sprintf("%s/%d", model, m.dim), nil, refuse)
	if err != nil {
		return nil, err
	}
	var list []chromem.Document
	for i, row := range m.rows {
		if row != nil {
			list = append(list, chromem.Document{ID: docs[i].ID, Content: docs[i].Name, Embedding: row})
		}
	}
	if len(list) == 0 { // chromem-go refuses an empty list
		return collection, nil
	}
	return collection, collection.AddDocuments(context.Background(), list, 1)
}

// Vector returns a document's vector by the given provider model, to hand it
// on to the next version; nil when the corpus has none.
func (c *Corpus) Vector(model, id string) []float32 {
	if c.provider == nil || c.provider.model != model {
		return nil
	}
	d, err := c.provider.collection.GetByID(context.Background(), id)
	if err != nil { // the document has no vector: GetByID has no other error
		return nil
	}
	return append([]float32(nil), d.Embedding...) // chromem-go lends its own
}

// providerMatrix returns the provider's vectors; nil without any.
func (c *Corpus) providerMatrix() *matrix {
	if c.provider == nil {
		return nil
	}
	return c.provider.matrix
}
