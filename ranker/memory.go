package ranker

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// Miss is a tool that the model had to fetch itself because the message had not brought
// it.
type Miss struct {
	// ID is the fetched document's.
	ID string
	// Words holds the hashes of the message's informative words by [Prints].
	Words []uint32
}

const (
	// MaxMisses is how many misses a memory keeps, the latest ones.
	MaxMisses = 500
	// maxPrints is how many distinct informative words of a message count, the first
	// ones.
	maxPrints = 64
)

// minAlike is the least similarity of two messages, between 0 and 1, at which a tool
// fetched for one counts for the other.
const minAlike = 0.35

// Memory finds what was fetched for messages similar to a given one. It is immutable;
// adding a miss makes a new one. The daemon keeps the misses in a local file and may
// clear them. It compares hashes of words, so that user input is not stored.
type Memory struct {
	key    string
	misses []Miss
}

// NewMemory returns the memory of the misses, oldest first, whose hashes were made with
// key. It uses the latest [MaxMisses], and ignores misses without words.
func NewMemory(key string, misses []Miss) *Memory {
	misses = misses[max(0, len(misses)-MaxMisses):]
	return &Memory{key: key, misses: slices.Clone(misses)}
}

// Prints returns the hashes of a message's informative words: of the first 64 distinct
// stems that are neither stop words nor filler, the first four bytes of SHA-256 over key,
// a zero byte and the stem, ascending. Without the key they reveal nothing; with it, only
// whether a guessed word is among them.
func Prints(key, message string) []uint32 {
	return printsOf(key, message, &text.Tokenizer{})
}

func printsOf(key, message string, tokenizer *text.Tokenizer) []uint32 {
	var prints []uint32
	buffer := append([]byte(key), 0)
	head, tail := clipQuery(message)
	for _, s := range []string{head, tail} {
		tokenizer.Each(s, func(word []byte, form text.Form) {
			folded := string(word)
			if len(prints) == maxPrints || form == text.Whole || text.IsStop(folded) || text.IsFiller(folded) {
				return
			}
			sum := sha256.Sum256(append(buffer, text.Stem(folded)...))
			if print := binary.BigEndian.Uint32(sum[:]); !slices.Contains(prints, print) {
				prints = append(prints, print)
			}
		})
	}
	slices.Sort(prints)
	return prints
}

// alikeSquared returns the square of the cosine of two ascending sets of hashes, shared²
// / (|a|·|b|).
func alikeSquared(a, b []uint32) float64 {
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared++
			i++
			j++
		}
	}
	return float64(shared*shared) / float64(max(1, len(a)*len(b)))
}

// recall returns, by document, the similarity of a message to the most similar one that
// the document was fetched for, or nil. ordinals maps IDs to documents. m may be nil.
func (m *Memory) recall(message string, ordinals map[string]int, tokenizer *text.Tokenizer) map[int32]float64 {
	if m == nil || len(m.misses) == 0 {
		return nil
	}
	remembered := map[int32]float64{}
	prints := printsOf(m.key, message, tokenizer)
	for _, miss := range m.misses {
		doc, ok := ordinals[miss.ID]
		if !ok {
			continue
		}
		if alike := alikeSquared(prints, miss.Words); alike >= minAlike*minAlike {
			remembered[int32(doc)] = max(remembered[int32(doc)], alike)
		}
	}
	return remembered
}
