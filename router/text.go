package router

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxLine bounds a line of text for the model, in bytes.
const maxLine = 120

// noDescription replaces a missing description.
const noDescription = "(no description)"

// cut returns at most n bytes of s without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// clip returns s, or the beginning and the end of a longer s, n bytes in all. The request
// usually precedes or follows what a person pasted.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	half := (n - 1) / 2
	end := len(s) - half
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end++
	}
	return cut(s, half) + "\n" + s[end:]
}

// oneLine returns a text on one line, cut after n bytes.
func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > n {
		return cut(text, n) + "…"
	}
	return text
}

// firstLine returns the beginning of a description, on one line.
func firstLine(description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	line = strings.TrimSpace(line)
	if line == "" {
		return noDescription
	}
	if len(line) > maxLine {
		return cut(line, maxLine) + "…"
	}
	return line
}

// firstSentence returns the beginning of a text up to the end of its first
// sentence.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if end := strings.Index(text, ". "); end >= 0 {
		return text[:end+1]
	}
	return text
}

// shortened returns a text on one line, cut after n characters; "" if n is 0.
func shortened(text string, n int) string {
	if n == 0 {
		return ""
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

// plural returns a count with its noun, in the plural unless n is 1.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// joined lists names in about n bytes. It cuts no name and counts those left out.
func joined(names []string, n int) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 && b.Len()+len(name) > n {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String()
}
