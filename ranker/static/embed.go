package static

import (
	"math"
	"slices"
)

// maxTokens is how many tokens of a text are embedded, enough for a long description.
const maxTokens = 512

// Tokens appends the text's known tokens to dst, in order, at most 512. A text that is
// empty or not in Latin script has none.
func (m *Model) Tokens(dst []int32, text string) []int32 {
	t := tokenizer{vocabulary: &m.vocabulary}
	for _, id := range t.read(text) {
		if id != m.vocabulary.unknown {
			dst = append(dst, id)
		}
	}
	return dst
}

// Embed writes to dst, whose length must be [Model.Dim], the unit-length weighted sum of
// the vectors of tokens from [Model.Tokens]. weights has a weight between 0 and 1 for
// each token. It returns false and zeroes dst if the sum is zero: such a text has no
// direction. It does not allocate.
func (m *Model) Embed(dst []float32, tokens []int32, weights []float32) bool {
	var sums [maxDim]int64
	acc := sums[:m.dim]
	tokens = tokens[:min(len(tokens), maxTokens)]
	for len(tokens) >= 4 {
		m.addFour(acc, tokens[:4], weights[:4])
		tokens, weights = tokens[4:], weights[4:]
	}
	for i, id := range tokens {
		m.addRow(acc, id, weights[i])
	}
	return normalize(dst[:m.dim], acc)
}

// Conditions for a known word: its length, and its length per piece. Four of five rare
// nouns meet them, and one of seventy random words.
const (
	minKnown       = 3
	lettersByPiece = 2.5
)

// Knows reports whether the model's vector of a word in lower case is meaningful: it is a
// token, or consists of few long ones. An unknown word is split into single letters and
// pairs, and its vector is noise. A number is not a word.
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
func (m *Model) addRow(acc []int64, id int32, weight float32) {
	row, scale := m.row(id)[:len(acc)], m.scale(id, weight)
	for i := range acc {
		acc[i] += int64(int8(row[i])) * scale
	}
}

// addFour adds four rows at once, so that each sum is read and written once, which takes
// a quarter less time.
func (m *Model) addFour(acc []int64, ids []int32, weights []float32) {
	a, aScale := m.row(ids[0])[:len(acc)], m.scale(ids[0], weights[0])
	b, bScale := m.row(ids[1])[:len(acc)], m.scale(ids[1], weights[1])
	c, cScale := m.row(ids[2])[:len(acc)], m.scale(ids[2], weights[2])
	d, dScale := m.row(ids[3])[:len(acc)], m.scale(ids[3], weights[3])
	for i := range acc {
		acc[i] += int64(int8(a[i]))*aScale + int64(int8(b[i]))*bScale + int64(int8(c[i]))*cScale + int64(int8(d[i]))*dScale
	}
}

// row returns the int8 values of a token's row.
func (m *Model) row(id int32) string { return m.rows[int(id)*m.dim:][:m.dim] }

// scale returns the factor of a token's row, in fixed point.
func (m *Model) scale(id int32, weight float32) int64 {
	return int64(float64(m.scales[id]) * float64(weight))
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
