package ranker

import (
	"math"
	"math/bits"
)

// Shares of documents are rounded to powers of two, so that small changes of the
// catalogue leave most weights, and so most vectors, unchanged. Shares below
// 2^-maxHalvings count as none.
const maxHalvings = 7

// maxAlike is the most tools of a catalogue that may be all of one kind. In a larger one,
// with messages for many servers, every token has full weight: lowering common ones cost
// .022 of nDCG@10 there.
const maxAlike = 128

// Levels of tokens; those between are 1 plus the halvings of the share.
const (
	levelUnseen = 0
	levelRare   = maxHalvings + 2
)

// commonness weights tokens in the vectors of one catalogue and of messages to it. Tokens
// that its tools have everywhere ("the", "get", and "playlist" in a catalogue of a music
// player) distinguish the tools as little as in BM25. Their weight is
//
//	√(a / (a + share))
//
// where a is [Weights].VectorCommon and share that of the other documents that
// have the token: smooth inverse frequency (Arora and others 2017), softened,
// with the catalogue's own frequencies. It is immutable.
type commonness struct {
	// documents is the number of documents, and counts how many have each token. The
	// counts of a version are updated from the previous one's. As integers they do not
	// depend on the order of updates.
	documents int
	counts    []int32
	// levels holds each token's level; tokens beyond its end are unseen.
	levels  []uint8
	weights [levelRare + 1]float32
}

// newCommonness returns the commonness in a catalogue without documents.
func newCommonness(w *Weights) *commonness {
	c := &commonness{}
	c.weights[levelUnseen], c.weights[levelRare] = float32(w.VectorUnseen), 1
	for halvings := range maxHalvings + 1 {
		c.weights[1+halvings] = float32(math.Sqrt(w.VectorCommon / (w.VectorCommon + math.Ldexp(1, -halvings))))
	}
	return c
}

// changed returns the commonness after removing the documents gone and adding those in
// came, each given by its tokens.
func (c *commonness) changed(gone, came [][]int32) *commonness {
	last := int32(len(c.counts)) - 1
	for _, d := range came {
		for _, token := range d {
			last = max(last, token)
		}
	}
	next := &commonness{documents: c.documents, weights: c.weights}
	next.counts = make([]int32, last+1)
	copy(next.counts, c.counts)
	counted := newMarks(len(next.counts))
	next.count(-1, gone, &counted)
	next.count(+1, came, &counted)
	next.levels = make([]uint8, len(next.counts))
	for token, count := range next.counts {
		next.levels[token] = level(int(count), next.documents)
		if next.documents > maxAlike {
			next.levels[token] = levelRare
		}
	}
	return next
}

// count adds sign to the counts of each document's tokens. counted has room for
// all tokens.
func (c *commonness) count(sign int32, documents [][]int32, counted *marks) {
	c.documents += int(sign) * len(documents)
	for _, d := range documents {
		counted.reset()
		for _, token := range d {
			if counted.mark(token) {
				c.counts[token] += sign
			}
		}
	}
}

// level returns the level of a token that count of n documents contain.
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
		weight := c.weights[c.level(token)]
		if c.documents > maxAlike {
			weight = 1
		}
		dst = append(dst, weight)
	}
	return dst
}

// moved marks the tokens whose weight differs from that in the previous catalogue, which
// has the same [Weights]; nil if none does. Tokens that no document has now or had then
// are in no remaining document and count as unmoved.
func (c *commonness) moved(before *commonness) []bool {
	var moved []bool
	for token, level := range c.levels {
		was := before.level(int32(token))
		if level == was || level == levelUnseen || was == levelUnseen {
			continue
		}
		if moved == nil {
			moved = make([]bool, len(c.levels))
		}
		moved[token] = true
	}
	return moved
}
