package router

import "fmt"

// ProviderTexts returns the text of each tool for an embedding provider, by
// ordinal.
func (c *Catalog) ProviderTexts() []string {
	texts := make([]string, len(c.Tools))
	for i := range c.Tools {
		document := c.Tools[i].document()
		texts[i] = document.ProviderText()
	}
	return texts
}

// WithVectors returns the same version, ranked also by the vectors of an
// embedding provider's model: one for each tool by ordinal, nil where there is
// none.
func (c *Catalog) WithVectors(model string, vectors [][]float32) (*Catalog, error) {
	corpus, err := c.corpus.WithVectors(model, vectors)
	if err != nil {
		return nil, fmt.Errorf("catalogue version %d: %w", c.Version, err)
	}
	next := *c
	next.corpus = corpus
	return &next, nil
}

// VectorModel is the model of [Catalog.WithVectors], or of that of the version
// before for the tools that both have; empty without one.
func (c *Catalog) VectorModel() string { return c.corpus.VectorModel() }

// WithQueryVector returns the view with an embedding provider's vector of a
// text that is about to be ranked.
func (v *View) WithQueryVector(text string, vector []float32) *View {
	next := *v
	next.queryText, next.queryVector = text, vector
	return &next
}
