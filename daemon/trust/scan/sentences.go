package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSentence bounds the text of a finding, in characters.
const maxSentence = 300

// sentenceEnd returns the end of the first sentence of a text, including the following
// whitespace: a match of `[.!?。！？]["')\]]*(?:\s+|$)|\n\s*\n`. The dot in a file name is
// none.
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

// blank is the whitespace of regular expressions.
const blank = "\t\n\f\r "

// sentences splits a text into sentences and collapses whitespace. A single line break
// does not end a sentence.
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

// shorten truncates a text to maxSentence characters.
func shorten(text string) string {
	if len(text) <= maxSentence { // in bytes, so in characters
		return text
	}
	if runes := []rune(text); len(runes) > maxSentence {
		return string(runes[:maxSentence]) + "…"
	}
	return text
}

// Addresses returns the sentences of a text that address the model instead of describing
// the tool. They hide something from the user, override other instructions, are inside
// tags meant for a model, say what to do before or with other tools, or collect secrets
// and conversations.
func Addresses(text string) []string {
	var found []string
	for _, sentence := range sentences(text) {
		if addresses(sentence) {
			found = append(found, shorten(sentence))
		}
	}
	return found
}

// addresses reports whether a sentence addresses the model.
func addresses(sentence string) bool {
	lower := strings.ToLower(sentence)
	return slices.ContainsFunc(rules(), func(r rule) bool { return r.matches(lower) })
}
