package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSentence bounds the text of a finding, in characters.
const maxSentence = 300

// sentenceEnd returns where the first sentence of a text ends, with the white space
// behind it: at `[.!?。！？]["')\]]*(?:\s+|$)|\n\s*\n`, and so not at the full stop of
// a file's name.
func sentenceEnd(text string) int {
	for i := 0; i < len(text); {
		at := strings.IndexAny(text[i:], ".!?。！？\n")
		if at < 0 {
			break
		}
		i += at
		if text[i] == '\n' {
			rest := strings.TrimLeft(text[i+1:], blank)
			if last := strings.LastIndexByte(text[i+1:len(text)-len(rest)], '\n'); last >= 0 {
				return i + 1 + last + 1
			}
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		closed := strings.TrimLeft(text[i:], `"')]`)
		rest := strings.TrimLeft(closed, blank)
		if rest == "" || len(rest) < len(closed) {
			return len(text) - len(rest)
		}
	}
	return len(text)
}

// blank is the white space of regular expressions.
const blank = "\t\n\f\r "

// sentences splits a text, white space collapsed. A line break within a sentence
// is none.
func sentences(text string) []string {
	var all []string
	for text != "" {
		cut := sentenceEnd(text)
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
		if addresses(sentence) {
			found = append(found, shorten(sentence))
		}
	}
	return found
}

// addresses reports whether a sentence speaks to the model.
func addresses(sentence string) bool {
	lower := strings.ToLower(sentence)
	return slices.ContainsFunc(rules(), func(r rule) bool { return r.matches(lower) })
}
