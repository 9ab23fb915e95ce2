package hiddentext

import (
	"strconv"
	"strings"
)

// Printable writes what a terminal would obey, in a text of others, as Go writes
// it between quotes: control characters but for tabs and line ends, and those
// that turn the direction of the text.
func Printable(text string) string {
	return printable(strings.ReplaceAll(text, "\r\n", "\n"), func(r rune) bool { return r != '\n' && r != '\t' })
}

// PrintableLine is [Printable] for a part of a line: tabs and line ends are
// written too.
func PrintableLine(text string) string { return printable(text, func(rune) bool { return true }) }

// printable writes the characters that are obeyed, of those that may be.
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
