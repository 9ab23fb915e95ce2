package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// Wants is what a message needs of tools, by its words.
type Wants int

// The values of [Wants].
const (
	// WantsTools: it contains words that can find a tool.
	WantsTools Wants = iota
	// WantsNothing: it does not, such as "get it going", or is empty. The earlier
	// conversation is the better guide.
	WantsNothing
	// WantsWords: a model can probably answer it without a tool, such as "what does set
	// -e do". Tools may still help.
	WantsWords
)

// mentionable holds the names in a catalogue that a message can mention.
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

// saysTooLittle reports whether a message that is only a tool's name lacks the tool's
// parameters: "get it going" has the name of a tool get, but no key.
func saysTooLittle(name []string, parameters []Parameter) bool {
	vague := func(word string) bool { return text.IsStop(word) || text.IsFiller(word) || text.IsVague(word) }
	return !slices.ContainsFunc(name, func(word string) bool { return !vague(word) }) &&
		slices.ContainsFunc(parameters, func(p Parameter) bool { return p.Required })
}

// phrases maps a first word to names of one or more words.
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

// wants returns what a message needs; see [Corpus.Wants].
func (names mentionable) wants(message string) Wants {
	request, context := splitPasted(message)
	english, _ := dictionary.Translate(clipLong(request), func(string) bool { return false })
	var tokenizer text.Tokenizer
	words := wordsOf(english, &tokenizer)
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

// refers reports whether a text refers to something by its form: a file, a page, an
// issue, a time.
func refers(s string) bool {
	found := false
	text.Signals(s, func(string) { found = true })
	return found
}
