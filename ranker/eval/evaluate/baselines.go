package evaluate

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker"
)

// classic is BM25 as in other products, with k1 1.5 and b 0.75, for comparison only.
type classic struct {
	docs     []ranker.Document
	split    func(string) []string
	postings map[string][]posting
	lengths  []float64
	average  float64
}

type posting struct {
	doc   int
	count float64
}

var nonWord = regexp.MustCompile(`[^0-9A-Za-z_]+`)

// newZooCode returns the ranker of Zoo Code's story 575: server, tool and description in
// lower case, split at non-word characters, so that create_issue stays one word.
func newZooCode(docs []ranker.Document) *classic {
	split := func(s string) []string { return nonWord.Split(strings.ToLower(s), -1) }
	return newClassic(docs, split, func(d *ranker.Document) string {
		return d.Server + " " + d.Name + " " + d.Description
	})
}

var nonAlphanumeric = regexp.MustCompile(`[^0-9A-Za-z]+`)

// newWayland returns the curator of Wayland Core as of August 2026: description, server
// and name, without words of three bytes or less.
func newWayland(docs []ranker.Document) *classic {
	split := func(s string) []string {
		return slices.DeleteFunc(nonAlphanumeric.Split(strings.ToLower(s), -1),
			func(w string) bool { return len(w) <= 3 })
	}
	return newClassic(docs, split, func(d *ranker.Document) string {
		return d.Description + " " + d.Server + " " + d.Name
	})
}

func newClassic(docs []ranker.Document, split func(string) []string, text func(*ranker.Document) string) *classic {
	c := &classic{docs: docs, split: split, postings: map[string][]posting{}, lengths: make([]float64, len(docs))}
	for i := range docs {
		counts := map[string]float64{}
		for _, word := range split(text(&docs[i])) {
			if word != "" {
				counts[word]++
				c.lengths[i]++
			}
		}
		for word, n := range counts {
			c.postings[word] = append(c.postings[word], posting{i, n})
		}
		c.average += c.lengths[i] / float64(len(docs))
	}
	return c
}

// rank returns the best documents for a message.
func (c *classic) rank(message string) []int {
	const k1, b = 1.5, 0.75
	words := slices.Compact(slices.Sorted(slices.Values(c.split(message))))
	scores := map[int]float64{}
	for _, word := range words {
		list := c.postings[word]
		idf := math.Log(1 + (float64(len(c.docs)-len(list))+0.5)/(float64(len(list))+0.5))
		for _, p := range list {
			scores[p.doc] += idf * p.count * (k1 + 1) / (p.count + k1*(1-b+b*c.lengths[p.doc]/c.average))
		}
	}
	found := make([]int, 0, len(scores))
	for doc := range scores {
		found = append(found, doc)
	}
	slices.SortFunc(found, func(x, y int) int {
		return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(c.docs[x].ID, c.docs[y].ID))
	})
	return found[:min(Depth, len(found))]
}
