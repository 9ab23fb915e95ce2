package ranker

import (
	"strconv"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// The weights, which are those of Wayland Core's first curator. It looked for
// substrings in descriptions; this one compares whole words.
const (
	keywordTermScore  = 10.0
	keywordPinFloor   = 100.0
	keywordMinLetters = 4
)

// keywordIndex maps each word of four letters or more to the documents whose
// server, name or description has it, each once, in ascending order.
type keywordIndex struct {
	postings map[string][]int32
}

func newKeywordIndex(docs []Document) *keywordIndex {
	x := &keywordIndex{postings: map[string][]int32{}}
	var tokenizer text.Tokenizer
	for i := range docs {
		for _, s := range []string{docs[i].Server, docs[i].Name, docs[i].Description} {
			tokenizer.Each(s, func(word []byte, _ text.Form) {
				if len(word) < keywordMinLetters {
					return
				}
				list := x.postings[string(word)]
				if len(list) == 0 || list[len(list)-1] != int32(i) {
					x.postings[string(word)] = append(list, int32(i))
				}
			})
		}
	}
	return x
}

// keywordRanker scores 10 for each distinct word of four letters or more that a message
// and a tool share, 0.5 for each recent use, and at least 100 for a tool that the user
// pinned. It uses neither stemming nor rarity.
type keywordRanker struct {
	docs  []Document
	index func() *keywordIndex
}

// Name implements [Ranker].
func (keywordRanker) Name() string { return string(Keyword) }

// Rank implements [Ranker].
func (r keywordRanker) Rank(q Query) []Match {
	words := longWords(q.Text)
	if len(words) == 0 {
		return nil
	}
	shared := make([]int32, len(r.docs))
	for _, word := range words {
		for _, doc := range r.index().postings[word] {
			shared[doc]++
		}
	}
	best := newBestDocs(r.docs, q.Limit, len(r.docs))
	for doc, n := range shared {
		if q.Eligible != nil && !q.Eligible(doc) {
			continue
		}
		if parts := keywordParts(&q, doc, int(n)); len(parts) > 0 {
			best.offer(sumOfParts(parts), int32(doc))
		}
	}
	found := matches(best.sorted())
	for i := range found {
		if q.Explain {
			found[i].Parts = keywordParts(&q, found[i].Doc, int(shared[found[i].Doc]))
		}
	}
	return found
}

// longWords returns the distinct words of a message with at least four letters.
func longWords(message string) []string {
	var words []string
	var tokenizer text.Tokenizer
	seen := map[string]bool{}
	head, tail := clipQuery(message)
	for _, s := range []string{head, tail} {
		tokenizer.Each(s, func(word []byte, _ text.Form) {
			if len(word) >= keywordMinLetters && !seen[string(word)] {
				seen[string(word)] = true
				words = append(words, string(word))
			}
		})
	}
	return words
}

// keywordParts returns the parts of a document's score, or nil if it is 0.
func keywordParts(q *Query, doc, shared int) []Part {
	var parts []Part
	if shared > 0 {
		parts = append(parts, Part{Name: "shared words", Value: keywordTermScore * float64(shared),
			Detail: strconv.Itoa(shared) + " of four letters or more"})
	}
	if bonus := q.usesBonus(doc); bonus != 0 {
		parts = append(parts, Part{Name: "recent use", Value: bonus})
	}
	if q.Pinned != nil && q.Pinned(doc) {
		if lack := keywordPinFloor - sumOfParts(parts); lack > 0 {
			parts = append(parts, Part{Name: "pinned", Value: lack, Detail: "raised to the floor of 100"})
		}
	}
	return parts
}

// sumOfParts adds up the values of parts.
func sumOfParts(parts []Part) float64 {
	total := 0.0
	for _, p := range parts {
		total += p.Value
	}
	return total
}
