package ranker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// translation is what a message in other languages than English was taken for.
// Its zero value is that of an English message.
type translation struct {
	// forms holds what the message has instead, by the terms that it only has in
	// English.
	forms map[termID]form
}

// form is a word of another language.
type form struct {
	written string
	// weight is that of its English words. isName says that it is a name in
	// another script.
	weight float64
	isName bool
}

// knownShare is what the English words of a form keep of their weight when tools
// have the form itself: those come first.
const knownShare = 0.5

// otherLanguagePart names what a document has in English of words in another
// language.
const otherLanguagePart = "other language"

// translate returns the message in the words of tools, and remembers which of its
// terms the person did not write. An English message is returned as it is, a long
// one in another language without its middle.
func (t *translation) translate(message string, x *fusionIndex, tokenizer *text.Tokenizer) string {
	t.forms = nil
	if x.weights.Translated == 0 || len(message) > maxQueryText {
		return message
	}
	english, meanings := dictionary.Translate(clipLong(message), x.has)
	if len(meanings) == 0 {
		return message
	}
	t.forms = map[termID]form{}
	for _, m := range meanings {
		weight := x.weights.Translated
		if m.Known {
			weight *= knownShare
		}
		for _, word := range m.Words {
			first, _ := utf8.DecodeRuneInString(word)
			x.eachTerm(word, tokenizer, func(id termID) {
				if t.forms[id].weight < weight {
					t.forms[id] = form{m.Form, weight, unicode.IsUpper(first)}
				}
			})
		}
	}
	x.eachTerm(message, tokenizer, func(id termID) { delete(t.forms, id) })
	return english
}

// wordParts shares the words' part of a document's score out: to the fields that
// have the message's words, and to what words of other languages mean. total,
// scale: see fieldShares.
func (v *view) wordParts(doc int, total, scale float64, spelling *spelling) []Part {
	var own []queryTerm
	var words []Word
	var meanings []string
	translated := 0.0
	for _, t := range v.terms {
		if t.form.written == "" {
			own = append(own, t)
			continue
		}
		if _, impact := v.x.posting(t.term, doc); impact != 0 {
			translated += signals.Round(impact * t.weight * scale)
			word := Word{Text: t.form.written, Means: spelling.said[t.term]}
			words, meanings = append(words, word), append(meanings, word.Text+" means "+word.Means)
		}
	}
	parts := v.x.fieldShares(own, doc, total-translated, scale, spelling)
	if len(meanings) == 0 {
		return parts
	}
	if len(parts) == 0 {
		translated = total // to the last bit
	}
	return append(parts, Part{Name: otherLanguagePart, Value: translated, Detail: strings.Join(meanings, ", "), Words: words})
}
