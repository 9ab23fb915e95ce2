package ranker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// translation is how a message in other languages was translated. The zero value is for
// an English message.
type translation struct {
	// forms maps the terms that the message has only in English to its own words.
	forms map[termID]form
}

// form is a word of another language.
type form struct {
	written string
	// weight is the weight of its English words. isName reports that it is a name in
	// another script.
	weight float64
	isName bool
}

// knownShare is the share of their weight that the English words of a form keep if tools
// have the form itself, which ranks first.
const knownShare = 0.5

// otherLanguagePart is the part for English words that translate another language.
const otherLanguagePart = "other language"

// translate returns the message in English, and records which of its terms the person did
// not write. An English message is returned unchanged, a long one in another language
// without its middle.
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

// wordParts divides the words' part of a document's score among the fields with the
// message's words and the translated words. total and scale are as in fieldShares.
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
