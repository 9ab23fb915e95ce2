package catalog

import (
	"log/slog"
	"sync"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/static"
)

// builtinModel is the embedding model of the binary, read when the first message is
// ranked or a long list is prepared. If the binary is damaged, it embeds nothing and
// ranking uses words.
type builtinModel struct {
	load func() *static.Model
	// phrasings returns what people say when they need a tool, or nil if that data is
	// damaged. Reading it is fast.
	phrasings func() *bank.Bank
}

func newBuiltinModel(log *slog.Logger) *builtinModel {
	b := &builtinModel{}
	b.load = sync.OnceValue(func() *static.Model {
		model, err := static.Load()
		if err != nil {
			log.Error("the built-in embedding model is damaged; words alone rank", "error", err)
			return nil
		}
		return model
	})
	b.phrasings = sync.OnceValue(func() *bank.Bank {
		phrasings, err := bank.Load()
		if err != nil {
			log.Error("the built-in phrasings are damaged; tools are found by their own texts alone", "error", err)
			return nil
		}
		return phrasings
	})
	return b
}

// Dim implements ranker.Embedder.
func (b *builtinModel) Dim() int {
	if model := b.load(); model != nil {
		return model.Dim()
	}
	return 1
}

// Tokens implements ranker.Embedder.
func (b *builtinModel) Tokens(dst []int32, text string) []int32 {
	if model := b.load(); model != nil {
		return model.Tokens(dst, text)
	}
	return dst
}

// Embed implements ranker.Embedder.
func (b *builtinModel) Embed(dst []float32, tokens []int32, weights []float32) bool {
	if model := b.load(); model != nil {
		return model.Embed(dst, tokens, weights)
	}
	clear(dst)
	return false
}

// Knows implements ranker.Embedder.
func (b *builtinModel) Knows(word string) bool {
	model := b.load()
	return model != nil && model.Knows(word)
}
