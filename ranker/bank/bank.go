package bank

import (
	"hash/fnv"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Bank finds what people say of tools. It is immutable and safe for concurrent use.
type Bank struct {
	count, dim int
	// The sections of the table; see there.
	entries, keys, prints, vectors, norms, weights, text string
	mean                                                 []float32
	sketches                                             []sketch
	// families returns the families of the entries that are not excluded.
	families func() [][]string
	// left reports which entries are excluded; nil if none is.
	left []bool
}

// Entry is a tool in the bank.
type Entry struct {
	// Server is the name of its source file without extension. Family holds the words in
	// names of such servers.
	Server string
	Family []string
	Name   string
	// Phrasings holds what people say when they need the tool.
	Phrasings []string
}

// Len returns the number of tools, including excluded ones. Their indexes are below it.
func (b *Bank) Len() int { return b.count }

// Without returns the same bank without the tools of some servers, given by file name. It
// serves to measure the bank on servers that it lacks.
func (b *Bank) Without(servers []string) *Bank {
	c := *b
	c.left = make([]bool, b.count)
	for i := range c.left {
		c.left[i] = b.left != nil && b.left[i] || slices.Contains(servers, b.Entry(i).Server)
	}
	c.families = sync.OnceValue(c.findFamilies)
	return &c
}

// has reports whether an entry is not excluded.
func (b *Bank) has(i int) bool { return b.left == nil || !b.left[i] }

// Entry returns entry i, 0 ≤ i < Len.
func (b *Bank) Entry(i int) Entry {
	lines := strings.Split(b.lines(i), "\n")
	return Entry{Server: lines[0], Family: strings.Fields(lines[1]), Name: lines[2], Phrasings: lines[3:]}
}

// lines returns the text of an entry.
func (b *Bank) lines(i int) string {
	return b.text[u32(b.entries, 3*i):u32(b.entries, 3*i+3)]
}

// Said returns the phrasings of an entry, one per line, without copying them.
func (b *Bank) Said(i int) string {
	text := b.lines(i)
	for range 3 { // the server, its family and the tool
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// Describes reports whether an entry's tool had the description with this hash.
func (b *Bank) Describes(i int, print uint32) bool {
	return print != 0 && u32(b.entries, 3*i+2) == print
}

// Named returns the entries of the tools with a name, in ascending order.
// Words of the server's name do not count, so that slack_post_message of slack
// finds post_message too.
func (b *Bank) Named(name string, server []string) []int {
	var found []int
	for _, key := range keys(name, server) {
		h, n := keyHash(key), len(b.keys)/keySize
		for k := sort.Search(n, func(i int) bool { return b.key(i) >= h }); k < n && b.key(k) == h; k++ {
			if i := int(u32(b.keys, 3*k+2)); b.has(i) {
				found = append(found, i)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// minShort is the fewest words of a name without its server's that count as a name: one,
// as of get_graph, does not.
const minShort = 2

// key returns the hash of key k. 64 bits avoid collisions.
func (b *Bank) key(k int) uint64 { return uint64(u32(b.keys, 3*k+1))<<32 | uint64(u32(b.keys, 3*k)) }

// keyHash is FNV-1a with 64 bits.
func keyHash(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key)) // never fails
	return h.Sum64()
}

// keys returns the lookup keys of a tool: the words of its name, with and without those
// of its server's.
func keys(name string, server []string) []string {
	words := Words(name)
	full := strings.Join(words, " ")
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(server, w) })
	if len(rest) == len(words) || len(rest) < minShort {
		return []string{full}
	}
	return []string{full, strings.Join(rest, " ")}
}

// noParameters is the overlap of two tools without parameters.
const noParameters = 0.5

// Overlap returns the similarity of an entry's parameters to others, given by their
// hashes: the cosine of the two sets, shared/√(|a|·|b|).
func (b *Bank) Overlap(i int, prints []uint16) float64 {
	from, to := int(u32(b.entries, 3*i+1)), int(u32(b.entries, 3*i+4))
	if from == to && len(prints) == 0 {
		return noParameters
	}
	shared := 0
	for k := from; k < to; k++ {
		if _, ok := slices.BinarySearch(prints, u16(b.prints, k)); ok {
			shared++
		}
	}
	return float64(shared) / math.Sqrt(float64(max(1, (to-from)*len(prints))))
}

// minKnown is the least overlap of a tool's parameters with those at the time when its
// phrasings were written, if its description has changed since. With the same description
// one common parameter is enough, because schema readers count properties differently.
const minKnown = 0.4

// Known returns the entry for the tool itself: of the same name, on a server with the
// words of the family or with the same description, and with similar parameters.
// description and parameters are hashes.
func (b *Bank) Known(name string, server []string, description uint32, parameters []uint16) (entry int, ok bool) {
	best := 0.0
	for _, i := range b.Named(name, server) {
		overlap := b.Overlap(i, parameters)
		if overlap > best && (b.Describes(i, description) || overlap >= minKnown && b.isFamily(i, server)) {
			entry, best = i, overlap
		}
	}
	return entry, best > 0
}

// isFamily reports whether a server's name has all words of an entry's family.
func (b *Bank) isFamily(i int, server []string) bool {
	for word := range strings.FieldsSeq(b.family(i)) {
		if !slices.Contains(server, word) {
			return false
		}
	}
	return true
}
