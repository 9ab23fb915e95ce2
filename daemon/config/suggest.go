package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/spelling"
)

// suggest returns the word of known that was most likely meant by got, or "".
func suggest(got string, known []string) string {
	best, fewest := "", 0
	for _, word := range known {
		slips, meant := spelling.Slips(got, word)
		if meant && (best == "" || slips < fewest) {
			best, fewest = word, slips
		}
	}
	return best
}

// hintFor is the hint for a key of an entry that Winnow does not know.
func hintFor(key string, known []string) string {
	if name := otherName(key); name != "" {
		return fmt.Sprintf("Winnow's name for it is %q", name)
	}
	return didYouMean(key, known)
}

// didYouMean is the hint for a key that Winnow does not know.
func didYouMean(got string, known []string) string {
	if word := suggest(got, known); word != "" {
		return `did you mean "` + word + `"?`
	}
	sorted := slices.Sorted(slices.Values(known))
	return "known here: " + strings.Join(sorted, ", ")
}

// otherName returns our name for a key that other clients use, or "".
func otherName(key string) string {
	switch key {
	case "defer_loading", "deferLoading":
		return "deferred"
	case "allowedTools", "enabledTools", "includeTools":
		return "onlyAllow"
	case "excludeTools", "blockedTools", "disallowedTools":
		return "disabledTools"
	case "autoApprove":
		return "alwaysAllow"
	case "environment":
		return "env"
	case sandboxEnabled:
		return "sandbox"
	default:
		return ""
	}
}
