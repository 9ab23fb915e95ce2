package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/spelling"
)

// suggest returns the word of known that got is probably a misspelling of, or "".
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

// hintFor returns the hint for an unknown key of an entry.
func hintFor(key string, known []string) string {
	if name := otherName(key); name != "" {
		return fmt.Sprintf("Winnow's name for it is %q", name)
	}
	return didYouMean(key, known)
}

// didYouMean returns the hint for an unknown key.
func didYouMean(got string, known []string) string {
	if word := suggest(got, known); word != "" {
		return `did you mean "` + word + `"?`
	}
	sorted := slices.Sorted(slices.Values(known))
	return "known here: " + strings.Join(sorted, ", ")
}

// otherName returns Winnow's name for another client's key, or "".
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
