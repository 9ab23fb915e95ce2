package ranker

import (
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

const (
	// maxQueryText is how many bytes of a message are read. Of a longer one, the
	// beginning and the end are read, because the request is before or after pasted text,
	// rarely within.
	maxQueryText = 16 << 10
	// maxLongText is how many bytes of a long message are split into steps, and
	// translated.
	maxLongText = 16 << 10
)

// clipLong returns a message or, of a longer one than maxLongText, its beginning
// and its end.
func clipLong(message string) string {
	const half = maxLongText / 2
	if len(message) <= maxLongText {
		return message
	}
	return strings.ToValidUTF8(message[:half]+" "+message[len(message)-half:], "")
}

// clipQuery returns the parts of a message that are read: all of it, or the first and the
// last half of maxQueryText bytes.
func clipQuery(s string) (head, tail string) {
	if len(s) <= maxQueryText {
		return s, ""
	}
	h, t := maxQueryText/2, len(s)-maxQueryText/2
	for h > 0 && !utf8.RuneStart(s[h]) {
		h--
	}
	for t < len(s) && !utf8.RuneStart(s[t]) {
		t++
	}
	return s[:h], s[t:]
}

// writeOut adds the words of tools for jargon. A message that is read in part is
// unchanged.
func writeOut(message string) string {
	if len(message) > maxQueryText {
		return message
	}
	return text.WriteOut(message)
}
