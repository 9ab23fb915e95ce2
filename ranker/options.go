package ranker

import "github.com/winnow-mcp/winnow/ranker/bank"

// Embedder turns a text into a vector, such as the built-in model of package
// static does. It must be safe for concurrent use, give equal vectors for
// equal texts, and be comparable with ==.
type Embedder interface {
	// Dim is the length of every vector.
	Dim() int
	// Tokens appends the text's tokens that the embedder knows, in order, to
	// dst. Equal tokens have equal numbers, small ones.
	Tokens(dst []int32, text string) []int32
	// Embed writes the unit vector of a text's tokens to dst, which has Dim
	// elements; weights says how much each of the tokens counts, between 0 and
	// 1. It returns false, and writes zeros, when there is nothing to say.
	Embed(dst []float32, tokens []int32, weights []float32) bool
	// Knows reports whether the embedder can say something of a folded word. It
	// may embed others all the same, by their letters, which means nothing.
	Knows(word string) bool
}

// Option sets how a corpus ranks.
type Option func(*options)

// options is comparable, so that a version can tell whether the work of the
// one before it fits.
type options struct {
	expander
	weights Weights
}

// WithEmbedder makes a corpus rank by meaning too. Without it, or with nil,
// it ranks by words alone.
func WithEmbedder(e Embedder) Option {
	return func(o *options) { o.embedder = e }
}

// WithBank makes a corpus know what people say when they need a tool. Without
// an embedder only tools that the bank knows themselves profit.
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
