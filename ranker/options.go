package ranker

import "github.com/winnow-mcp/winnow/ranker/bank"

// Embedder converts a text into a vector, like the built-in model of package static. It
// must be safe for concurrent use, return equal vectors for equal texts, and be
// comparable with ==.
type Embedder interface {
	// Dim is the length of every vector.
	Dim() int
	// Tokens appends the text's known tokens to dst, in order. Equal tokens have equal,
	// small numbers.
	Tokens(dst []int32, text string) []int32
	// Embed writes the unit vector of a text's tokens to dst, which has Dim elements.
	// weights holds a weight between 0 and 1 for each token. It returns false, and writes
	// zeros, if the sum is empty.
	Embed(dst []float32, tokens []int32, weights []float32) bool
	// Knows reports whether the embedder's vector of a folded word is meaningful. Others
	// may be embedded by their letters.
	Knows(word string) bool
}

// Option sets how a corpus ranks.
type Option func(*options)

// options is comparable, so that a version can check whether the previous one's work
// applies.
type options struct {
	expander
	weights Weights
}

// WithEmbedder makes a corpus rank by meaning too. Without it, or with nil,
// it ranks by words alone.
func WithEmbedder(e Embedder) Option {
	return func(o *options) { o.embedder = e }
}

// WithBank makes a corpus use what people say when they need a tool. Without an embedder
// only tools that are in the bank benefit.
func WithBank(b *bank.Bank) Option {
	return func(o *options) { o.bank = b }
}

// WithWeights replaces the [DefaultWeights].
func WithWeights(w Weights) Option {
	return func(o *options) { o.weights = w }
}

func newOptions(list []Option) options {
	o := options{weights: DefaultWeights()}
	for _, set := range list {
		set(&o)
	}
	return o
}

// expander finds expansions. It is comparable.
type expander struct {
	bank     *bank.Bank
	embedder Embedder
}
