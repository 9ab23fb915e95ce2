package ranker

import (
	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// Wants is what a message wants of tools, as far as its words tell.
type Wants int

// The values of [Wants].
const (
	// WantsTools: it says what a tool could be found by.
	WantsTools Wants = iota
	// WantsNothing: it says nothing of the kind, such as "get it going", or
	// nothing at all. What the conversation was about is the better guide.
	WantsNothing
	// WantsWords: it sounds like what a model answers without a tool, such as
	// "what does set -e do". Tools may still be of use.
	WantsWords
)

// mentionable are the names in a catalogue that a message can mention.
type mentionable struct{ tools, servers map[string]bool }

func newMentionable(docs []Document) mentionable {
	k := mentionable{tools: make(map[string]bool, len(docs)), servers: map[string]bool{}}
	for i := range docs {
		k.tools[text.Fold(docs[i].Name)] = true
		if i == 0 || docs[i].Server != docs[i-1].Server {
			k.servers[text.Fold(docs[i].Server)] = true
		}
	}
	return k
}

// Wants tells what a message wants. One that has the name of a server or, among
// words that say nothing, of a tool wants tools, and so does one that refers to
// a file, a page, an issue and the like.
func (c *Corpus) Wants(message string) Wants {
	request, context := splitPasted(message)
	english, _ := dictionary.Translate(clipLong(request), func(string) bool { return false })
	names, says, named := c.mentionable(), false, false
	var words []string
	var tokenizer text.Tokenizer
	tokenizer.Each(english, func(word []byte, form text.Form) {
		if form == text.Whole {
			return
		}
		w := string(word)
		words = append(words, w)
		named = named || names.servers[w]
		says = says || !text.IsStop(w) && !text.IsFiller(w) && !text.IsVague(w) || names.tools[w]
	})
	switch {
	case context == "" && !says:
		return WantsNothing
	case context == "" && !named && !refers(request) && text.AsksForWords(words):
		return WantsWords
	}
	return WantsTools
}

// refers reports whether a text refers to something by its look: a file, a
// page, an issue, a time.
func refers(s string) bool {
	found := false
	text.Signals(s, func(string) { found = true })
	return found
}
