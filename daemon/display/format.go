package display

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

var english = message.NewPrinter(language.English)

// Tokens writes a number of tokens so that it fits beside a name: 812, 8.2k,
// 56k, 1.2M. It is negative where routing costs more than it saves.
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

// oneDecimal writes one decimal, and none where it is 0.
func oneDecimal(value float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0")
}

func rounded(value float64) string {
	return strconv.FormatFloat(math.Round(value), 'f', 0, 64)
}

// inTokens writes a number of tokens with the noun: 1 token, 8.2k tokens.
func inTokens(tokens int) string {
	if tokens == 1 {
		return "1 token"
	}
	return Tokens(tokens) + " tokens"
}

// Number writes a whole number with separators: 12,345.
func Number(n int) string {
	return english.Sprintf("%d", n)
}

// Count writes a count with its noun: 1 tool, 2,000 tools.
func Count(n int, noun string) string {
	return CountOf(n, noun, noun+"s")
}

// CountOf is Count for a noun whose plural is not formed by an s.
func CountOf(n int, noun, plural string) string {
	if n == 1 {
		return Number(n) + " " + noun
	}
	return Number(n) + " " + plural
}

// Percent writes a part of a whole in percent; what is there is never 0%.
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

// maxRepeated is how many characters a sentence repeats of what was asked.
const maxRepeated = 200

// joined joins the parts that say something.
func joined(separator string, parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, separator)
}
