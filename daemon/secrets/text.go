package secrets

import "regexp"

// written matches a value behind a word that says what it is: `name=value`,
// `"name": "value"`, and credentials behind the name of their scheme.
var written = regexp.MustCompile(`(?i)(\b(?:bearer|basic)\s+)([^\s"',;]{8,})|([\w.-]*\w["']?\s*[=:]\s*["']?)([^\s"',;]{8,})`)

// digit tells a value that was made by a machine from a word of a sentence.
var digit = regexp.MustCompile(`\d`)

// HideIn returns text of a program's with [Hidden] for the values that stand
// behind the name of a credential, as [IsName] has it. It is for what was not
// known to be a secret, and errs on both sides: values of under eight characters
// and those without a digit stay.
func HideIn(text string) string {
	return written.ReplaceAllStringFunc(text, func(found string) string {
		groups := written.FindStringSubmatch(found)
		switch {
		case groups[1] != "":
			return groups[1] + Hidden
		case IsName(groups[3]) && digit.MatchString(groups[4]):
			return groups[3] + Hidden
		}
		return found
	})
}
