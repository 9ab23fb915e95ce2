package bank

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Embedder makes the vectors of texts, as package ranker's does.
type Embedder interface {
	Dim() int
	Tokens(dst []int32, text string) []int32
	Embed(dst []float32, tokens []int32, weights []float32) bool
}

// common is the share of the tools at which a token of their phrasings counts 0.7 in a
// vector. Commoner tokens count less, √(common/(common+share)), as in a catalogue's own
// vectors.
const common = 0.03

// Compile returns the table of servers, whose vectors are the embedder's.
func Compile(servers []Server, embedder Embedder) []byte {
	c := compiler{embedder: embedder}
	for i := range servers {
		for k := range servers[i].Tools {
			c.add(&servers[i], &servers[i].Tools[k])
		}
	}
	c.embed()
	return c.table()
}

// tableKey is a key in its stored form.
type tableKey struct {
	Hash  uint64
	Entry uint32
}

// compiler collects the sections of a table.
type compiler struct {
	embedder Embedder
	entries  []uint32
	keys     []tableKey
	prints   []uint16
	text     []byte
	tokens   [][]int32
	weights  []uint8
	vectors  [][]float32
}

func (c *compiler) add(s *Server, t *Tool) {
	entry := uint32(len(c.tokens))
	c.entries = append(c.entries, uint32(len(c.text)), uint32(len(c.prints)), t.Description)
	for _, key := range keys(t.Name, s.Family) {
		c.keys = append(c.keys, tableKey{keyHash(key), entry})
	}
	c.prints = append(c.prints, t.Parameters...)
	said := strings.Join(t.Phrasings, "\n")
	c.text = append(c.text, strings.Join([]string{s.Name, strings.Join(s.Family, " "), t.Name, said}, "\n")...)
	c.tokens = append(c.tokens, c.embedder.Tokens(nil, strings.Join(Words(t.Name), " ")+". "+said))
}

// embed weights the tokens and computes the vectors.
func (c *compiler) embed() {
	counts := map[int32]int{}
	for _, tokens := range c.tokens {
		for _, t := range slices.Compact(slices.Sorted(slices.Values(tokens))) {
			counts[t]++
			c.weights = append(c.weights, make([]uint8, max(0, int(t)+1-len(c.weights)))...)
		}
	}
	for t := range c.weights {
		share := float64(counts[int32(t)]) / float64(len(c.tokens))
		c.weights[t] = uint8(math.Round(math.MaxUint8 * math.Sqrt(common/(common+share))))
	}
	b := Bank{weights: string(c.weights)}
	for _, tokens := range c.tokens {
		v := make([]float32, c.embedder.Dim())
		c.embedder.Embed(v, tokens, b.Weights(nil, tokens))
		c.vectors = append(c.vectors, v)
	}
}

// mean returns the mean of the vectors.
func (c *compiler) mean() []float32 {
	mean := make([]float32, c.embedder.Dim())
	for _, v := range c.vectors {
		for k, x := range v {
			mean[k] += x / float32(len(c.vectors))
		}
	}
	return mean
}

// table returns the encoded table.
func (c *compiler) table() []byte {
	slices.SortFunc(c.keys, func(a, b tableKey) int { return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Entry, b.Entry)) })
	s := sizes{
		entries: uint32(len(c.tokens)), keys: uint32(len(c.keys)), prints: uint32(len(c.prints)),
		dim: uint32(c.embedder.Dim()), tokens: uint32(len(c.weights)), text: uint32(len(c.text)),
	}
	var out bytes.Buffer
	write := func(data any) {
		if err := binary.Write(&out, binary.LittleEndian, data); err != nil {
			panic("bank: a value without a fixed size") // cannot happen: all have one
		}
	}
	out.WriteString(magic)
	for _, field := range s.fields() {
		write(*field)
	}
	write(append(c.entries, s.text, s.prints, 0))
	write(c.keys)
	write(c.prints)
	mean := c.mean()
	write(mean)
	for _, v := range c.vectors {
		write(sketchOf(v, mean))
	}
	for _, v := range c.vectors {
		write(quantise(v))
	}
	for _, v := range c.vectors {
		write(uint32(norm(quantise(v))))
	}
	write(c.weights)
	out.Write(c.text)
	return out.Bytes()
}
