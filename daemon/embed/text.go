package embed

import (
	"strings"
	"unicode/utf8"
)

// maxTextBytes is the most of one text that is embedded: about 2,000 tokens of
// English, the least that today's hosted models read. Ollama, Voyage and Cohere
// cut what is too long for a smaller model themselves.
const maxTextBytes = 8 << 10

// tidy makes a text fit to be sent: valid UTF-8, without white space around
// it, not too long. It is empty when nothing is left to embed.
func tidy(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) <= maxTextBytes {
		return text
	}
	cut := maxTextBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// batches splits texts, in order, into lists that the provider takes.
func batches(texts []string, limits Limits) [][]string {
	var all [][]string
	start, size := 0, 0
	for i, text := range texts {
		if i > start && (i-start == limits.Texts || size+len(text) > limits.Bytes) {
			all, start, size = append(all, texts[start:i]), i, 0
		}
		size += len(text)
	}
	if start < len(texts) {
		all = append(all, texts[start:])
	}
	return all
}
