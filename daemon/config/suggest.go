package config

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// suggest returns the word of known that was most likely meant by got, or "".
// Up to two wrong letters count, fewer in short words.
func suggest(got string, known []string) string {
	best, fewest := "", min(2, len(got)/3)
	for _, word := range known {
		if strings.EqualFold(got, word) {
			return word
		}
		if d := levenshtein.ComputeDistance(strings.ToLower(got), strings.ToLower(word)); d <= fewest {
			best, fewest = word, d-1
		}
	}
	return best
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
	default:
		return ""
	}
}
