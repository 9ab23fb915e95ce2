package embed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A blob of the cache holds the vectors of one space:
//
//	provider, endpoint, model   each its length as uint32, then the bytes
//	dimension asked for         uint32, 0 for the model's own
//	dimension, count            uint32
//	count records               key, day of last use as uint32, dimension float32
//
// All numbers are little-endian.

// maxDim is more than any model's dimension.
const maxDim = 1 << 16

// textKey identifies a text in a space.
type textKey [sha256.Size]byte

// keyOf hashes a document's text with its space. Each part is preceded by its length, so
// that different lists of parts differ.
func keyOf(space Space, text string) textKey {
	hash := sha256.New()
	var length [8]byte
	for _, part := range []string{space.Provider, space.Endpoint, space.Model, text} {
		binary.LittleEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	binary.LittleEndian.PutUint64(length[:], uint64(space.Dim))
	hash.Write(length[:])
	return textKey(hash.Sum(nil))
}

// record is one cached vector.
type record struct {
	vector []float32
	// day is when the vector was last used, in days since 1970.
	day uint32
}

// records are the cached vectors of a space, all of its dimension.
type records map[textKey]record

// recordSize is the bytes of one record in a file.
func recordSize(dim int) int64 { return int64(len(textKey{})) + 4 + 4*int64(dim) }

// header names a space at the start of its blob.
func (s Space) header() []byte {
	var out []byte
	for _, part := range []string{s.Provider, s.Endpoint, s.Model} {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	return binary.LittleEndian.AppendUint32(out, uint32(s.Dim))
}

// encodeCache writes vectors of dimension dim. Equal content gives equal bytes.
func encodeCache(asked Space, dim int, all records) []byte {
	out := asked.header()
	out = binary.LittleEndian.AppendUint32(out, uint32(dim))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(all)))
	out = slices.Grow(out, len(all)*int(recordSize(dim)))
	keys := make([]textKey, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b textKey) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		out = append(out, key[:]...)
		out = binary.LittleEndian.AppendUint32(out, all[key].day)
		for _, f := range all[key].vector {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
		}
	}
	return out
}

// errCorrupt is wrapped by every error of decodeCache.
var errCorrupt = errors.New("it holds no vectors of this model")

// decodeCache reads the blob of a space: its vectors and their dimension.
func decodeCache(asked Space, data []byte) (dim int, all records, err error) {
	rest, ok := bytes.CutPrefix(data, asked.header())
	if !ok || len(rest) < 8 {
		return 0, nil, fmt.Errorf("%w: it is another model's", errCorrupt)
	}
	numbers, rest := rest[:8], rest[8:]
	dim = int(binary.LittleEndian.Uint32(numbers))
	count := int64(binary.LittleEndian.Uint32(numbers[4:]))
	if dim <= 0 || dim > maxDim || int64(len(rest)) != count*recordSize(dim) {
		return 0, nil, fmt.Errorf("%w: its header does not fit its length", errCorrupt)
	}
	all = make(records, count)
	for chunk := range slices.Chunk(rest, int(recordSize(dim))) {
		key, day, values := chunk[:sha256.Size], chunk[sha256.Size:], chunk[sha256.Size+4:]
		vector := make([]float32, dim)
		for i := range vector {
			vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
		}
		all[textKey(key)] = record{vector: vector, day: binary.LittleEndian.Uint32(day)}
	}
	return dim, all, nil
}
