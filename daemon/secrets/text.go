package secrets

import (
	"regexp"
	"strings"
)

// minHidden is the least length of a value that counts as a credential; shorter ones are
// words or numbers.
const minHidden = 8

// HideIn replaces credentials in a program's output by [Hidden]: values after the name of
// a credential, by [IsName], or after its scheme, and passwords of URLs. It is a
// heuristic for unknown secrets with errors on both sides: except for passwords of URLs,
// it keeps values shorter than eight characters or without a digit. It takes linear time.
func HideIn(text string) string { return hideNamed(hideUsers(text)) }

// user matches the user part of a URL: a password, or a token in its place.
var user = regexp.MustCompile(`(//[^\s/?#@:"'<>]*:)([^\s/?#"'<>]+)@|//([^\s/?#@:"'<>]+)@`)

func hideUsers(text string) string {
	return user.ReplaceAllStringFunc(text, func(found string) string {
		groups := user.FindStringSubmatch(found)
		if groups[1] != "" {
			return groups[1] + Show(true, groups[2]) + "@"
		}
		return "//" + Show(isMade(groups[3]), groups[3]) + "@"
	})
}

// introduction matches what precedes a value: a flag, a name with a separator, also in a
// JSON string, and the scheme of a credential.
var introduction = regexp.MustCompile(`(?i)` +
	`(?:\B(--?\w[\w.-]*)[ \t]+|([\w.-]*\w)\\?["']?[ \t]*(=>|:=|[=:])[ \t]*)(\\?["'])?(?:(bearer|basic|token)[ \t]+)?` +
	`|\b(bearer|basic)[ \t]+`)

// Patterns of values by the quote before them; the last is within a JSON string.
var (
	unquoted     = regexp.MustCompile(`^[^\s"',;]*`)
	singleQuoted = regexp.MustCompile(`^[^'\n]*`)
	doubleQuoted = regexp.MustCompile(`^(?:[^"\\\n]|\\.)*`)
	quotedTwice  = regexp.MustCompile(`^(?:[^"\\\n]|\\[^"\n])*`)
)

var (
	// digit distinguishes a generated value from a word.
	digit = regexp.MustCompile(`\d`)
	// place matches what follows a colon in file.js:10:5, host:8443/path and a
	// URL whose password is hidden.
	place = regexp.MustCompile(`^(?:\d{1,6}(?:[:/?#]|[)\]]?(?:\s|$))|\(hidden\)@)`)
	// parameter matches what follows a scheme if it is not a credential: Basic
	// authentication, Bearer realm="…".
	parameter = regexp.MustCompile(`^(?:auth[a-z]*\W*|[a-z_]+=)$`)
)

// hideNamed hides values by their names and schemes.
func hideNamed(text string) string {
	var shown strings.Builder
	for {
		at := introduction.FindStringSubmatchIndex(text)
		if at == nil {
			shown.WriteString(text)
			return shown.String()
		}
		value, credential := valueAfter(introductionAt(text, at), text[at[1]:])
		shown.WriteString(text[:at[1]])
		shown.WriteString(Show(credential, value))
		text = text[at[1]+len(value):]
	}
}

// introduced describes what precedes a value.
type introduced struct {
	// named reports that its name or its scheme is a credential's.
	named, scheme    bool
	separator, quote string
}

func introductionAt(text string, at []int) introduced {
	group := func(i int) string {
		if at[2*i] < 0 {
			return ""
		}
		return text[at[2*i]:at[2*i+1]]
	}
	scheme := group(5) + group(6)
	return introduced{
		named:  IsName(group(1)) || IsName(group(2)),
		scheme: scheme != "" && !strings.EqualFold(scheme, "token"), separator: group(3), quote: group(4),
	}
}

// valueAfter returns the value at the beginning of a text, and whether it is a
// credential. It is empty if names within it are examined separately.
func valueAfter(i introduced, text string) (value string, credential bool) {
	if !i.named && !i.scheme || i.separator == ":" && i.quote == "" && place.MatchString(text) {
		return "", false
	}
	value = valueIn(text, i.quote)
	switch {
	case i.named && isMade(value), i.scheme && len(value) >= minHidden && !parameter.MatchString(value):
		return value, true
	case i.quote == "":
		// No part of it can be a credential, and examining each again would take
		// quadratic time.
		return value, false
	default:
		return "", false
	}
}

// isMade reports whether a value looks generated.
func isMade(value string) bool { return len(value) >= minHidden && digit.MatchString(value) }

// valueIn returns the value at the beginning of a text, after a quote or without one.
func valueIn(text, quote string) string {
	switch quote {
	case "":
		return unquoted.FindString(text)
	case "'", `\'`:
		return singleQuoted.FindString(text)
	case `"`:
		return doubleQuoted.FindString(text)
	default:
		return quotedTwice.FindString(text)
	}
}
