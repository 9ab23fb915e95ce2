package ranker

import (
	"math"
	"math/bits"
	"slices"
)

// Shares of documents are rounded to powers of two, so that a few documents
// more or less leave most weights, and with them most vectors, as they were.
// Shares below 2^-maxHalvings count as none.
const maxHalvings = 7

// The levels of tokens; those between are 1 plus the halvings of the share.
const (
	levelUnseen = 0
	levelRare   = maxHalvings + 2
)

// commonness says how much a token counts in the vectors of one catalogue and
// of messages to it. Tokens that its tools have everywhere ("the", "get", and
// "playlist" where all of them are a music player's) tell the tools apart as
// little as they do in BM25. They count
//
//	√(a / (a + share))
//
// where a is [Weights].VectorCommon and share that of the other documents that
// have the token: smooth inverse frequency (Arora and others 2017), softened,
// with the catalogue's own frequencies. The zero value has seen no documents.
type commonness struct {
	// levels holds each token's level; tokens beyond its end are unseen.
	levels  []uint8
	weights [levelRare + 1]float32
}

// newCommonness counts the documents that have each token.
func newCommonness(documents []*documentTexts, w *Weights) commonness {
	last := int32(-1)
	for _, d := range documents {
		for _, token := range d.tokens {
			last = max(last, token)
		}
	}
	// counted holds, plus one, the document that a token was last counted for.
	counts, counted := make([]int, last+1), make([]int, last+1)
	for i, d := range documents {
		for _, token := range d.tokens {
			if counted[token] <= i {
				counts[token]++
				counted[token] = i + 1
			}
		}
	}
	c := commonness{levels: make([]uint8, len(counts))}
	for token, count := range counts {
		c.levels[token] = level(count, len(documents))
	}
	c.weights[levelUnseen], c.weights[levelRare] = float32(w.VectorUnseen), 1
	for halvings := range maxHalvings + 1 {
		c.weights[1+halvings] = float32(math.Sqrt(w.VectorCommon / (w.VectorCommon + math.Ldexp(1, -halvings))))
	}
	return c
}

// level returns the level of a token that count of n documents have.
func level(count, n int) uint8 {
	if count == 0 {
		return levelUnseen
	}
	others := count - 1
	halvings := bits.Len(uint(n)) - bits.Len(uint(others))
	if others == 0 || halvings > maxHalvings {
		return levelRare
	}
	return uint8(1 + halvings)
}

// level returns a token's level.
func (c *commonness) level(token int32) uint8 {
	if int(token) < len(c.levels) {
		return c.levels[token]
	}
	return levelUnseen
}

// append appends the weights of tokens to dst.
func (c *commonness) append(dst []float32, tokens []int32) []float32 {
	for _, token := range tokens {
		dst = append(dst, c.weights[c.level(token)])
	}
	return dst
}

// same reports whether all of the tokens weigh the same in both, which are of
// the same [Weights].
func (c *commonness) same(other *commonness, tokens []int32) bool {
	return !slices.ContainsFunc(tokens, func(token int32) bool { return c.level(token) != other.level(token) })
}
