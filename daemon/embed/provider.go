package embed

import (
	"context"
	"fmt"
)

// Purpose is what a text is for. Several models embed documents and queries differently.
type Purpose int

// The purposes of a text.
const (
	// ForDocument is for the texts of tools.
	ForDocument Purpose = iota
	// ForQuery is for a query of the user or the model.
	ForQuery
)

// Space says which vectors may be compared: those of one model at one address
// with one dimension.
type Space struct {
	// Provider is the API's name, as in [Config].
	Provider string
	// Endpoint is the requested address, without credentials.
	Endpoint string
	Model    string
	// Dim is the length of the vectors; 0 while it is the model's own and unknown.
	Dim int
}

// String names the space for people and logs, without its address, such as
// "openai/text-embedding-3-small/1536". It is not unique: use the Space as a key.
func (s Space) String() string { return fmt.Sprintf("%s/%s/%d", s.Provider, s.Model, s.Dim) }

// Limits bounds the calls of [Provider.Embed].
type Limits struct {
	// Texts is the most texts of one call.
	Texts int
	// Bytes is the most bytes of all texts of one call together. A single text
	// may have more.
	Bytes int
	// Calls is the most concurrent calls for documents. Queries do not count, because
	// they must not wait for documents.
	Calls int
}

// Provider embeds texts by one model. It is safe for concurrent use.
type Provider interface {
	// Space identifies the provider's vectors. Its Dim is that of the
	// configuration: 0 unless a dimension is asked for.
	Space() Space
	Limits() Limits
	// Embed returns one vector of unit length for each text, all of one
	// dimension. texts are within Limits, valid UTF-8 and not blank. An error
	// of the provider's is an [*Error].
	Embed(ctx context.Context, purpose Purpose, texts []string) ([][]float32, error)
}
