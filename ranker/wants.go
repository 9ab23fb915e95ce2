package ranker

import (
	"slices"

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
type mentionable struct{ tools, servers phrases }

func newMentionable(docs []Document) mentionable {
	k := mentionable{tools: phrases{}, servers: phrases{}}
	var tokenizer text.Tokenizer
	for i := range docs {
		name := wordsOf(docs[i].Name, &tokenizer)
		if !saysTooLittle(name, docs[i].Parameters) {
			k.tools.add(name)
		}
		if i == 0 || docs[i].Server != docs[i-1].Server {
			k.servers.add(serverWords(docs[i].Server, &tokenizer))
		}
	}
	return k
}

// saysTooLittle reports whether a message that has no more than a tool's name lacks
// what the tool must be told: "get it going" has the name of a tool get, and no
// key to get.
func saysTooLittle(name []string, parameters []Parameter) bool {
	vague := func(word string) bool { return text.IsStop(word) || text.IsFiller(word) || text.IsVague(word) }
	return !slices.ContainsFunc(name, func(word string) bool { return !vague(word) }) &&
		slices.ContainsFunc(parameters, func(p Parameter) bool { return p.Required })
}

// serverWords returns the words by which people call a server: of
// "google-maps-mcp", google and maps.
func serverWords(name string, tokenizer *text.Tokenizer) []string {
	words := wordsOf(name, tokenizer)
	if telling := slices.DeleteFunc(slices.Clone(words), isGenericServerWord); len(telling) > 0 {
		return telling
	}
	return words
}

// wordsOf returns the words of a text, those of identifiers one by one.
func wordsOf(s string, tokenizer *text.Tokenizer) []string {
	var words []string
	tokenizer.Each(s, func(word []byte, form text.Form) {
		if form != text.Whole {
			words = append(words, string(word))
		}
	})
	return words
}

// phrases are names of one word or more, by their first.
type phrases map[string][][]string

func (p phrases) add(words []string) {
	if len(words) > 0 {
		p[words[0]] = append(p[words[0]], words)
	}
}

// begin reports whether the words begin with one of the names.
func (p phrases) begin(words []string) bool {
	return slices.ContainsFunc(p[words[0]], func(name []string) bool {
		return len(name) <= len(words) && slices.Equal(name, words[:len(name)])
	})
}

// Wants tells what a message wants. One that has the name of a server or, among
// words that say nothing, of a tool wants tools, and so does one that refers to
// a file, a page, an issue and the like.
func (c *Corpus) Wants(message string) Wants {
	request, context := splitPasted(message)
	english, _ := dictionary.Translate(clipLong(request), func(string) bool { return false })
	var tokenizer text.Tokenizer
	names, words := c.mentionable(), wordsOf(english, &tokenizer)
	says, named := false, false
	for i, w := range words {
		named = named || names.servers.begin(words[i:])
		says = says || !text.IsStop(w) && !text.IsFiller(w) && !text.IsVague(w) || names.tools.begin(words[i:])
	}
	switch {
	case context == "" && !says && !named:
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
