package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// Miss is a tool that the model had to fetch by itself because the message
// had not brought it.
type Miss struct {
	// Message is what the user had written.
	Message string
	// ID is the fetched document's.
	ID string
}

// maxMisses is how many misses a memory keeps, the latest.
const maxMisses = 500

// minAlike is how alike two messages must be, between 0 and 1, for what was
// fetched for one to count for the other.
const minAlike = 0.35

// Memory finds what was fetched for messages like a given one. It is
// immutable; when a miss is added, a new one is made. The daemon keeps the
// misses in a local file and may clear them.
type Memory struct {
	misses []remembered
}

// remembered is a miss prepared for comparison: the distinct stems of its
// message, in ascending order.
type remembered struct {
	id    string
	stems []string
}

// NewMemory returns the memory of the misses, oldest first. Of more than 500
// the latest count.
func NewMemory(misses []Miss) *Memory {
	m := &Memory{}
	var tokenizer text.Tokenizer
	for _, miss := range misses[max(0, len(misses)-maxMisses):] {
		if stems := stemsOf(miss.Message, &tokenizer); len(stems) > 0 {
			m.misses = append(m.misses, remembered{id: miss.ID, stems: stems})
		}
	}
	return m
}

// stemsOf returns the distinct stems of a message's telling words, sorted.
func stemsOf(message string, tokenizer *text.Tokenizer) []string {
	var stems []string
	head, tail := clipQuery(message)
	for _, s := range []string{head, tail} {
		tokenizer.Each(s, func(word []byte, form text.Form) {
			folded := string(word)
			if form != text.Whole && !text.IsStop(folded) && !text.IsFiller(folded) {
				stems = append(stems, text.Stem(folded))
			}
		})
	}
	slices.Sort(stems)
	return slices.Compact(stems)
}

// alikeSquared is the square of the cosine of two sets of stems,
// shared² / (|a|·|b|).
func alikeSquared(a, b []string) float64 {
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

// recall writes to strength, by document, how alike the message is to the
// most alike one that the document was fetched for, and makes those documents
// candidates.
func (w *work) recall(q *Query, x *fusionIndex) {
	clear(w.remembered)
	if q.Memory == nil || x.weights.Remembered == 0 {
		return
	}
	stems := stemsOf(q.Text, &w.tokenizer)
	for _, miss := range q.Memory.misses {
		doc, ok := x.analysed.ordinals[miss.id]
		if !ok || !w.admits(int32(doc)) {
			continue
		}
		if alike := alikeSquared(stems, miss.stems); alike >= minAlike*minAlike {
			w.remembered[int32(doc)] = max(w.remembered[int32(doc)], alike)
			w.consider(int32(doc))
		}
	}
}
