package embed

import (
	"strings"
	"unicode/utf8"
)

// maxTextBytes is the most of one text that is embedded: about 2,000 English tokens, the
// smallest limit of today's hosted models. Ollama, Voyage and Cohere cut longer texts for
// smaller models themselves.
const maxTextBytes = 8 << 10

// tidy makes a text valid UTF-8, trims it and cuts it. It returns "" if nothing is left
// to embed.
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

// batches splits texts, in order, into lists within the provider's limits.
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
