package ranker

import (
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// concepts is an embedder for tests: one dimension for each group of words
// that mean the same, so that what it finds alike can be read off the list.
type concepts struct {
	groups int
	byStem map[string]int
}

func newConcepts(groups ...string) *concepts {
	c := &concepts{groups: len(groups), byStem: map[string]int{}}
	for i, group := range groups {
		for _, w := range strings.Fields(group) {
			c.byStem[text.Stem(w)] = i
		}
	}
	return c
}

// testConcepts knows a few things that the tests' tools are about.
var testConcepts = newConcepts(
	"weather forecast rain umbrella temperature",
	"message chat slack notify tell",
	"file document folder disk",
	"delete erase destroy",
	"picture photo camera image",
	"money pay invoice price",
)

func (c *concepts) Dim() int { return c.groups }

func (c *concepts) Embed(dst []float32, s string) bool {
	clear(dst)
	var tokenizer text.Tokenizer
	tokenizer.Each(s, func(word []byte, _ text.Form) {
		if i, ok := c.byStem[text.Stem(string(word))]; ok {
			dst[i]++
		}
	})
	return normalise(dst)
}

func (c *concepts) Knows(word string) bool {
	_, ok := c.byStem[text.Stem(word)]
	return ok
}
