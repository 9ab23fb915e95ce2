package secrets

import (
	"regexp"
	"strings"
)

// minHidden is the length from which a value counts as a credential: anything
// shorter is a word or a number of a sentence.
const minHidden = 8

// HideIn returns text of a program's with [Hidden] for the values that stand
// behind the name of a credential, as [IsName] has it, or behind the name of its
// scheme, and for the passwords of URLs. It is for what was not known to be a
// secret, and errs on both sides: but for passwords of URLs, values of under
// eight characters and those without a digit stay. It takes time in proportion to
// the text.
func HideIn(text string) string { return hideNamed(hideUsers(text)) }

// user matches what a URL says of its user: a password, or a token in its place.
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

// introduction matches what stands before a value: a flag, a name with what
// separates them, also in a string of JSON, and the scheme of a credential.
var introduction = regexp.MustCompile(`(?i)` +
	`(?:\B(--?\w[\w.-]*)[ \t]+|([\w.-]*\w)\\?["']?[ \t]*(=>|:=|[=:])[ \t]*)(\\?["'])?(?:(bearer|basic|token)[ \t]+)?` +
	`|\b(bearer|basic)[ \t]+`)

// What a value is made of, by the quote before it; the last is in a string of
// JSON.
var (
	unquoted     = regexp.MustCompile(`^[^\s"',;]*`)
	singleQuoted = regexp.MustCompile(`^[^'\n]*`)
	doubleQuoted = regexp.MustCompile(`^(?:[^"\\\n]|\\.)*`)
	quotedTwice  = regexp.MustCompile(`^(?:[^"\\\n]|\\[^"\n])*`)
)

var (
	// digit tells a value that was made by a machine from a word of a sentence.
	digit = regexp.MustCompile(`\d`)
	// place matches what follows a colon in file.js:10:5, host:8443/path and a
	// URL whose password is hidden.
	place = regexp.MustCompile(`^(?:\d{1,6}(?:[:/?#]|[)\]]?(?:\s|$))|\(hidden\)@)`)
	// parameter matches what follows a scheme where no credential does: Basic
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

// introduced is what an introduction says of the value after it.
type introduced struct {
	// named is set when its name or its scheme is that of a credential.
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

// valueAfter returns the value with which a text begins, and whether it is a
// credential. It is empty where names in it count for themselves.
func valueAfter(i introduced, text string) (value string, credential bool) {
	if !i.named && !i.scheme || i.separator == ":" && i.quote == "" && place.MatchString(text) {
		return "", false
	}
	value = valueIn(text, i.quote)
	switch {
	case i.named && isMade(value), i.scheme && len(value) >= minHidden && !parameter.MatchString(value):
		return value, true
	case i.quote == "":
		// What is not made has no part that is: to look at each again would take
		// time that grows with the square of the text.
		return value, false
	default:
		return "", false
	}
}

// isMade reports whether a value looks as if a machine had made it.
func isMade(value string) bool { return len(value) >= minHidden && digit.MatchString(value) }

// valueIn returns the value with which a text begins, after a quote or without.
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
