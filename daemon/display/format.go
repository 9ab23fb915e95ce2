package display

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

var english = message.NewPrinter(language.English)

// Tokens formats a number of tokens for display beside a name: 812, 8.2k, 56k, 1.2M. It
// is negative if routing costs more than it saves.
func Tokens(tokens int) string {
	size := max(tokens, -tokens)
	switch {
	case size < 1000:
		return strconv.Itoa(tokens)
	case size < 9950: // 9,960 is 10k, not 10.0k
		return oneDecimal(float64(tokens)/1e3) + "k"
	case size < 999_500:
		return rounded(float64(tokens)/1e3) + "k"
	case size < 9_950_000:
		return oneDecimal(float64(tokens)/1e6) + "M"
	default:
		return rounded(float64(tokens)/1e6) + "M"
	}
}

// oneDecimal formats a number with one decimal, or none if it is 0.
func oneDecimal(value float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0")
}

func rounded(value float64) string {
	return strconv.FormatFloat(math.Round(value), 'f', 0, 64)
}

// inTokens formats a number of tokens with the noun: 1 token, 8.2k tokens.
func inTokens(tokens int) string {
	if tokens == 1 {
		return "1 token"
	}
	return Tokens(tokens) + " tokens"
}

// Number formats an integer with separators: 12,345.
func Number(n int) string {
	return english.Sprintf("%d", n)
}

// Count formats a count with its noun: 1 tool, 2,000 tools.
func Count(n int, noun string) string {
	return CountOf(n, noun, noun+"s")
}

// CountOf is Count for a noun with an irregular plural.
func CountOf(n int, noun, plural string) string {
	if n == 1 {
		return Number(n) + " " + noun
	}
	return Number(n) + " " + plural
}

// Percent formats a part of a whole in percent; a nonzero part is never 0%.
func Percent(part, whole int) string {
	if whole <= 0 || part <= 0 {
		return "0%"
	}
	share := float64(part) / float64(whole) * 100
	if share < 1 {
		return "<1%"
	}
	return rounded(share) + "%"
}

// maxRepeated is the most characters that a sentence repeats of a request.
const maxRepeated = 200

// joined joins the nonempty parts.
func joined(separator string, parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, separator)
}
