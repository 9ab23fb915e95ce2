package static

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Limits of a model file. They keep the sums of [Model.Embed] within int64:
// scale 2^44 x value 2^7 x 2^9 tokens is 2^60.
const (
	maxDim   = 512
	maxScale = 16.0
	// scaleBits is the fixed point of the scales. Forty bits keep the smallest
	// scale of a trained row (about 1e-6) exact to six digits.
	scaleBits = 40
)

// header is the start of a model file: the magic bytes, then four little-endian
// uint32 for dimension, rows, row of the unknown token, bytes of vocabulary.
// The vocabulary (joined by newlines), a float32 scale per row and the int8
// rows follow.
const (
	magic      = "SEM1"
	headerSize = len(magic) + 4*4
)

// Model is a static embedding model. It is immutable and safe for concurrent
// use.
type Model struct {
	name       string
	dim        int
	vocabulary vocabulary
	// scales holds each row's scale in fixed point with scaleBits.
	scales []int64
	// rows holds the int8 values of all rows, dim to a row.
	rows string
}

// Name identifies the model and its exact content, for cache keys and logs,
// such as "static-256d-20k-int8-14892b5e6acc".
func (m *Model) Name() string { return m.name }

// Dim is the length of the model's vectors.
func (m *Model) Dim() int { return m.dim }

// Parse reads the content of a model file in the format of the training. Models other
// than the built-in one are for measuring. The model keeps referring to data; name is its
// name.
func Parse(name, data string) (*Model, error) {
	if len(data) < headerSize || data[:len(magic)] != magic {
		return nil, fmt.Errorf("model %s: not a SEM1 file", name)
	}
	var fields [4]int
	for i := range fields {
		fields[i] = int(binary.LittleEndian.Uint32([]byte(data[len(magic)+4*i:][:4])))
	}
	dim, rows, unknown, vocabBytes := fields[0], fields[1], fields[2], fields[3]
	if dim < 1 || dim > maxDim || unknown < 0 || unknown >= rows || vocabBytes < 0 {
		return nil, fmt.Errorf("model %s: impossible header: dimension %d, %d rows, unknown token %d", name, dim, rows, unknown)
	}
	want := int64(headerSize) + int64(vocabBytes) + int64(rows)*int64(4+dim)
	if int64(len(data)) != want {
		return nil, fmt.Errorf("model %s: %d bytes, its header asks for %d", name, len(data), want)
	}
	words, rest := data[headerSize:headerSize+vocabBytes], data[headerSize+vocabBytes:]
	m := &Model{name: name, dim: dim, rows: rest[rows*4:]}
	var err error
	if m.vocabulary, err = newVocabulary(strings.Split(words, "\n"), rows, unknown); err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	if m.scales, err = parseScales(rest[:rows*4]); err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return m, nil
}

// parseScales reads little-endian float32 scales into fixed point.
func parseScales(data string) ([]int64, error) {
	scales := make([]int64, len(data)/4)
	raw := []byte(data)
	for i := range scales {
		f := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		if !(f >= 0 && f <= maxScale) { // NaN fails both
			return nil, fmt.Errorf("row %d has scale %g", i, f)
		}
		scales[i] = int64(math.Round(f * (1 << scaleBits)))
	}
	if len(scales) == 0 {
		return nil, errors.New("no rows")
	}
	return scales, nil
}
