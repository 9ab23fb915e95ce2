package display

import (
	"regexp"
	"strings"
)

var (
	// bareTokens is a number of tokens that stands without its noun in a row, and
	// bareTools one of tools: the list says what they count.
	bareTokens = regexp.MustCompile(`^-?[\d.]+[kM]?$`)
	bareTools  = regexp.MustCompile(`^(?:all [\d,]+|[\d,]+ of [\d,]+)$`)
)

// spoken is what a screen reader says of a row: the whole name, the words of its
// icon, the description in the order in which the eye reads it, and more. What an
// icon and the description both say is said once.
func spoken(name, icon, description string, more ...string) string {
	parts := strings.Split(description, " · ")
	for i, part := range parts {
		switch {
		case part == icon:
			icon = ""
		case part == "1":
			parts[i] = "1 token"
		case bareTokens.MatchString(part):
			parts[i] += " tokens"
		case bareTools.MatchString(part):
			parts[i] += " tools"
		}
	}
	return joined(", ", name, icon, joined(", ", parts...), joined(", ", more...))
}
