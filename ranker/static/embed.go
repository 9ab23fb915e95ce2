package static

import (
	"math"
	"slices"
)

// maxTokens is how many tokens of a text are embedded. Quality was measured
// with 256; twice as many cost 60 µs and let a long description count.
const maxTokens = 512

// Embed writes the unit-length vector of text into dst, whose length must be
// [Model.Dim]. It reports false and zeroes dst when the text holds no token
// that the model knows (empty, or no Latin script): such a text has no
// direction and is similar to nothing. Only the first 512 tokens count. It
// does not allocate.
func (m *Model) Embed(dst []float32, text string) bool {
	t := tokenizer{vocabulary: &m.vocabulary}
	var sums [maxDim]int64
	acc := sums[:m.dim]
	for _, id := range t.read(text) {
		if id != m.vocabulary.unknown {
			m.addRow(acc, id)
		}
	}
	return normalize(dst[:m.dim], acc)
}

// What a word needs to be known: letters, and letters for each of its pieces.
// Four of five rare nouns have as many, one of seventy random words has.
const (
	minKnown       = 3
	lettersByPiece = 2.5
)

// Knows reports whether a word, in lower case, is one that the model can say
// something of: a token of its own, or made of few and long ones. A word that
// nobody has seen falls into single letters and pairs, and its vector is noise.
// A number is no word.
func (m *Model) Knows(word string) bool {
	if len(word) < minKnown || '0' <= word[0] && word[0] <= '9' {
		return false
	}
	t := tokenizer{vocabulary: &m.vocabulary}
	pieces := t.read(word)
	return !slices.Contains(pieces, m.vocabulary.unknown) && float64(len(word)) >= lettersByPiece*float64(len(pieces))
}

// addRow adds a row in fixed point. Integers make the sum independent of
// order, and of whether the processor fuses multiply and add.
func (m *Model) addRow(acc []int64, id int32) {
	row, scale := m.rows[int(id)*m.dim:][:len(acc)], m.scales[id]
	for i := range acc {
		acc[i] += int64(int8(row[i])) * scale
	}
}

// normalize writes acc to dst at unit length, or zeroes dst and reports false
// when acc is zero. The conversions around the products keep the compiler from
// fusing them into the additions, which would change the last bit by platform.
func normalize(dst []float32, acc []int64) bool {
	var square float64
	for _, v := range acc {
		f := float64(v)
		square += float64(f * f)
	}
	if square == 0 {
		clear(dst)
		return false
	}
	inverse := 1 / math.Sqrt(square)
	for i, v := range acc {
		dst[i] = float32(float64(v) * inverse)
	}
	return true
}
