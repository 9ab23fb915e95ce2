package bank

import (
	"errors"
	"fmt"
	"math"
	"sync"
)

// magic opens a table and names its format.
const magic = "PHR1"

// A table consists of the magic, the sizes, and the sections without gaps, little endian.
// n is the number of entries:
//
//	entries   n+1 × (text, prints, description uint32): where each entry's text
//	          and its parameters' prints start; one more closes the last
//	keys      (hash of 64 bits, entry uint32) each, ascending
//	prints    uint16 each
//	mean      dim × float32, the mean of the vectors
//	sketches  n × 32 bytes, the signs of the first 256 elements above the mean
//	vectors   n × dim × int8, of what is said of each tool
//	norms     n × uint32, the sum of the squares of each vector's elements
//	weights   uint8 for each of the embedder's tokens, see Compile
//	text      of each entry the server's file, its family, the tool's name and
//	          its phrasings, one a line
//
// Loading parses the mean and the sketches; the rest is read in place.
const (
	headerSize = len(magic) + 4*6
	entrySize  = 12
	keySize    = 12
	// sketchBits is how many signs a sketch holds.
	sketchBits = 256
	sketchSize = sketchBits / 8
)

// sizes is a table's header.
type sizes struct{ entries, keys, prints, dim, tokens, text uint32 }

// fields lists the header in its order.
func (s *sizes) fields() []*uint32 {
	return []*uint32{&s.entries, &s.keys, &s.prints, &s.dim, &s.tokens, &s.text}
}

// errDamaged reports a table that Compile did not write.
var errDamaged = errors.New("damaged table of phrasings (go generate ./ranker/bank makes it)")

// Parse returns the bank of a table, which the bank keeps referring to.
func Parse(table string) (*Bank, error) {
	if len(table) < headerSize || table[:len(magic)] != magic {
		return nil, fmt.Errorf("%w: it does not start with %s", errDamaged, magic)
	}
	var s sizes
	for i, field := range s.fields() {
		*field = u32(table[len(magic):], i)
	}
	b := &Bank{count: int(s.entries), dim: int(s.dim)}
	var mean, sketches string
	rest, n := table[headerSize:], uint64(s.entries)
	for _, section := range []struct {
		into *string
		size uint64
	}{
		{&b.entries, (n + 1) * entrySize}, {&b.keys, uint64(s.keys) * keySize}, {&b.prints, uint64(s.prints) * 2},
		{&mean, uint64(s.dim) * 4}, {&sketches, n * sketchSize}, {&b.vectors, n * uint64(s.dim)},
		{&b.norms, n * 4}, {&b.weights, uint64(s.tokens)}, {&b.text, uint64(s.text)},
	} {
		if section.size > uint64(len(rest)) {
			return nil, fmt.Errorf("%w: it ends too early", errDamaged)
		}
		*section.into, rest = rest[:section.size], rest[section.size:]
	}
	if rest != "" {
		return nil, fmt.Errorf("%w: %d bytes too many", errDamaged, len(rest))
	}
	b.mean = floats(mean)
	b.sketches = make([]sketch, n)
	for i := range b.sketches {
		for w := range b.sketches[i] {
			b.sketches[i][w] = u64(sketches, len(sketch{})*i+w)
		}
	}
	b.families = sync.OnceValue(b.findFamilies)
	return b, nil
}

// u32 returns element i of a list of uint32.
func u32(s string, i int) uint32 {
	s = s[4*i : 4*i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// u64 returns element i of a list of uint64.
func u64(s string, i int) uint64 { return uint64(u32(s, 2*i)) | uint64(u32(s, 2*i+1))<<32 }

// u16 returns element i of a list of uint16.
func u16(s string, i int) uint16 { return uint16(s[2*i]) | uint16(s[2*i+1])<<8 }

func floats(s string) []float32 {
	list := make([]float32, len(s)/4)
	for i := range list {
		list[i] = math.Float32frombits(u32(s, i))
	}
	return list
}
