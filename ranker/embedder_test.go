package ranker

import (
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// concepts is an embedder for tests: a token for each word that it knows, and
// one dimension for each group of words that mean the same, so that what it
// finds alike can be read off the list.
type concepts struct {
	groups int
	byStem map[string]int32 // token
	group  []int            // by token
}

func newConcepts(groups ...string) *concepts {
	c := &concepts{groups: len(groups), byStem: map[string]int32{}}
	for i, group := range groups {
		for _, w := range strings.Fields(group) {
			c.byStem[text.Stem(w)] = int32(len(c.group))
			c.group = append(c.group, i)
		}
	}
	return c
}

// dimension returns the dimension in which a word lies.
func (c *concepts) dimension(word string) int { return c.group[c.byStem[text.Stem(word)]] }

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

func (c *concepts) Tokens(dst []int32, s string) []int32 {
	var tokenizer text.Tokenizer
	tokenizer.Each(s, func(word []byte, _ text.Form) {
		if token, ok := c.byStem[text.Stem(string(word))]; ok {
			dst = append(dst, token)
		}
	})
	return dst
}

func (c *concepts) Embed(dst []float32, tokens []int32, weights []float32) bool {
	clear(dst)
	for i, token := range tokens {
		dst[c.group[token]] += weights[i]
	}
	return normalise(dst)
}

func (c *concepts) Knows(word string) bool {
	_, ok := c.byStem[text.Stem(word)]
	return ok
}
