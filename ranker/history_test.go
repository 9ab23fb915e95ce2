package ranker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// catalogue is a changing list of servers, for tests.
type catalogue struct {
	servers [][]Document
	made    uint64 // how many servers and tools have been made
}

// historyWords are words that the tests' embedder knows, and some that it does
// not.
var historyWords = strings.Fields(`file message delete picture weather money create list issue channel folder camera rain pay
	team branch tell disk photo price umbrella notify erase image invoice destroy forecast`)

// word picks a word; those that come first are common, as in real catalogues.
func (*catalogue) word(rng *rand.Rand) string {
	return historyWords[min(rng.IntN(len(historyWords)), rng.IntN(len(historyWords)))]
}

func (c *catalogue) tool(server string) Document {
	c.made++
	rng := rand.New(rand.NewPCG(c.made, 0))
	words := make([]string, rng.IntN(9))
	for i := range words {
		words[i] = c.word(rng)
	}
	name := c.word(rng) + "_" + c.word(rng)
	return Document{
		ID: fmt.Sprintf("%s.%d", server, c.made), Server: server, Name: name, Description: strings.Join(words, " "),
		Parameters: []Parameter{{Name: c.word(rng), Description: c.word(rng)}},
	}
}

func (c *catalogue) server() []Document {
	c.made++
	name := fmt.Sprintf("%s%d", c.word(rand.New(rand.NewPCG(c.made, 1))), c.made)
	tools := make([]Document, 1+c.made%13)
	for i := range tools {
		tools[i] = c.tool(name)
	}
	return tools
}

// change does what a byte says to the catalogue: a server comes, goes or moves to
// the front, or a tool changes.
func (c *catalogue) change(what byte) {
	n := len(c.servers)
	if n == 0 || what%4 == 0 && n < 24 {
		c.servers = append(c.servers, c.server())
		return
	}
	at := int(what/4) % n
	switch what % 4 {
	case 0, 1:
		c.servers = slices.Delete(c.servers, at, at+1)
	case 2:
		c.servers[0], c.servers[at] = c.servers[at], c.servers[0]
	case 3:
		tools := slices.Clone(c.servers[at])
		which := int(c.made) % len(tools)
		changed := c.tool(tools[which].Server)
		changed.ID = tools[which].ID
		tools[which], c.servers[at] = changed, tools
	}
}

// However a catalogue was reached, its vectors and answers are to the last bit
// those of one built at once. After some changes nothing is asked, so that the
// next version takes over from the one before. It is no fuzz target: a history
// takes so long that Go's fuzzing makes ten in twenty seconds.
func TestCorpus_AnyHistory(t *testing.T) {
	t.Parallel()
	options := []Option{WithEmbedder(testConcepts), WithBank(testBank(t))}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var now catalogue
		var c *Corpus
		for step := range 40 {
			now.change(byte(rng.Uint32()))
			c = NewCorpus(slices.Concat(now.servers...), c, options...)
			if rng.IntN(8) == 0 {
				continue
			}
			message := historyMessages[step%len(historyMessages)]
			if fresh := NewCorpus(c.docs, nil, options...); !sameCorpus(t, c, fresh, message) {
				t.Fatalf("after change %d of the history with seed %d", step, seed)
			}
		}
	}
}

var historyMessages = []string{"erase the photo and tell the team", "umbrella", "list files, pay the invoice"}

// sameCorpus reports whether two corpora of the same documents have the same
// weights of tokens and vectors and give the same answers to a message.
func sameCorpus(t *testing.T, c, fresh *Corpus, message string) bool {
	t.Helper()
	got, want := c.embed(), fresh.embed()
	for token := range int32(len(testConcepts.group)) {
		if g, w := got.commonness.level(token), want.commonness.level(token); g != w {
			t.Errorf("token %d has level %d, built at once %d", token, g, w)
		}
	}
	if !slices.EqualFunc(got.rows, want.rows, slices.Equal) {
		t.Error("vectors differ from those built at once")
	}
	if !slices.Equal(got.mean, want.mean) || !slices.Equal(got.signs, want.signs) {
		t.Error("the mean or the signs of vectors differ from those built at once")
	}
	for _, kind := range kinds {
		q := Query{Text: message, Explain: true, Limit: 30}
		if g, w := bytesOf(c.Ranker(kind).Rank(q)), bytesOf(fresh.Ranker(kind).Rank(q)); g != w {
			t.Errorf("%s of %q:\n got %s\nwant %s", kind, message, g, w)
		}
	}
	return !t.Failed()
}
