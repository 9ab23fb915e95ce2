package ranker

import (
	"unicode"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// translation is how a message in other languages was translated. The zero value is for
// an English message.
type translation struct {
	// forms maps the terms that the message has only in English to its own words.
	forms map[termID]foreignWord
}

// foreignWord is a word of another language.
type foreignWord struct {
	written string
	// weight is the weight of its English words. isName reports that it is a name in
	// another script.
	weight float64
	isName bool
}

// knownShare is the share of their weight that the English words of a form keep if tools
// have the form itself, which ranks first.
const knownShare = 0.5

// translate returns the message in English, and records which of its terms the person did
// not write, each with weight, or less if tools have the foreign word itself. An English message is returned unchanged, a long one in another language
// without its middle.
func (t *translation) translate(message string, x *index, weight float64, tokenizer *text.Tokenizer) string {
	t.forms = nil
	if weight == 0 || len(message) > maxQueryText {
		return message
	}
	english, meanings := dictionary.Translate(clipLong(message), x.has)
	if len(meanings) == 0 {
		return message
	}
	t.forms = map[termID]foreignWord{}
	for _, m := range meanings {
		weight := weight
		if m.Known {
			weight *= knownShare
		}
		for _, word := range m.Words {
			first, _ := utf8.DecodeRuneInString(word)
			x.eachTerm(word, tokenizer, func(id termID) {
				if t.forms[id].weight < weight {
					t.forms[id] = foreignWord{m.Form, weight, unicode.IsUpper(first)}
				}
			})
		}
	}
	x.eachTerm(message, tokenizer, func(id termID) { delete(t.forms, id) })
	return english
}
