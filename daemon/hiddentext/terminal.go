package hiddentext

import (
	"strconv"
	"strings"
)

// Printable escapes, as in Go's quoted strings, the characters of an untrusted text that
// affect a terminal: control characters except tabs and line ends, and bidirectional
// controls.
func Printable(text string) string {
	return printable(strings.ReplaceAll(text, "\r\n", "\n"), func(r rune) bool { return r != '\n' && r != '\t' })
}

// PrintableLine is [Printable] for a part of a line: it also escapes tabs and line ends.
func PrintableLine(text string) string { return printable(text, func(rune) bool { return true }) }

// printable escapes the characters with an effect for which may returns true.
func printable(text string, may func(rune) bool) string {
	obeyed := func(r rune) bool {
		kind := classify(r)
		return (kind == control || kind == direction || r == '\n' || r == '\t' || r == '\r') && may(r)
	}
	if !strings.ContainsFunc(text, obeyed) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if obeyed(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
