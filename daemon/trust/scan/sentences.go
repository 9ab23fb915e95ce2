package scan

import (
	"regexp"
	"slices"
	"strings"
)

// maxSentence bounds the text of a finding, in characters.
const maxSentence = 300

// ends matches where a sentence ends: not at the full stop of a file's name.
var ends = regexp.MustCompile(`[.!?。！？]["')\]]*(?:\s+|$)|\n\s*\n`)

// sentences splits a text, white space collapsed. A line break within a sentence
// is none.
func sentences(text string) []string {
	var all []string
	for text != "" {
		cut := len(text)
		if at := ends.FindStringIndex(text); at != nil {
			cut = at[1]
		}
		if sentence := strings.Join(strings.Fields(text[:cut]), " "); sentence != "" {
			all = append(all, sentence)
		}
		text = text[cut:]
	}
	return all
}

// shorten returns at most maxSentence characters of a text.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxSentence {
		return string(runes[:maxSentence]) + "…"
	}
	return text
}

// Addresses returns the sentences of a text that speak to the model rather than
// about the tool: that keep something from the user, set other instructions
// aside, stand between marks that only a model heeds, say what to do before or
// with other tools, or fetch secrets and conversations.
func Addresses(text string) []string {
	var found []string
	for _, sentence := range sentences(text) {
		lower := strings.ToLower(sentence)
		if slices.ContainsFunc(rules(), func(r rule) bool { return r.matches(lower) }) {
			found = append(found, shorten(sentence))
		}
	}
	return found
}
