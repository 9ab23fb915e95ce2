package wire

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/plainwords"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

// exitedError is the end of a child that was not asked to end.
type exitedError struct{ text string }

func (e *exitedError) Error() string { return e.text }

const (
	// longestWords is how many bytes of a line of a server's an error quotes.
	longestWords = 300
	// latestLines is how many of the last lines are looked through for the cause: a
	// stack trace stands behind it.
	latestLines = 40
)

var (
	variable = `\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b`
	// missingVariable finds an environment variable that a line says is not set, as
	// servers word it: before the name, or behind it.
	missingVariable = regexp.MustCompile(
		`(?i:missing|requires?|required|please set|must set|please provide)[^.;]{0,60}?` + variable + `|` +
			variable + `[^.;]{0,40}?(?i:\bmissing|\brequired|\bnot (?:set|provided|found|defined|configured)|\bmust be (?:set|provided)|\bundefined|\bunset|\bis empty)`)
	// errorLine is a line that says of itself that it is an error.
	errorLine = regexp.MustCompile(`(?i)^(?:\[stdout\] )?(?:[\w.]*(?:error|exception)|fatal|panic|uncaught)\b`)
)

// deathError says why a child ended: what it printed of the cause comes first.
func deathError(cause error, log *clean.Ring, redact *clean.Redactor) error {
	text := clean.Shown(redact, cause.Error())
	line, missing := lastWords(log.Lines())
	// It is cut when its secrets are out: half of one would not be found.
	line = redact.Log(strings.ToValidUTF8(line, ""))
	if line != "" {
		text = strings.ToValidUTF8(line[:min(len(line), longestWords)], "") + " (printed before " + text + ")"
	}
	if missing == "" {
		return &exitedError{text: text}
	}
	return &fault.Failure{
		Err:     &exitedError{text: plainwords.Missing(missing) + ": " + text},
		Next:    fmt.Sprintf("Give %s a value under \"env\" of the server's entry.", missing),
		Missing: missing,
	}
}

// lastWords returns the line in which a server says why it ends, and the
// environment variable that it says is missing; both may be empty. It is the last
// line that names such a variable, or calls itself an error, else the last of all.
func lastWords(lines []string) (line, missing string) {
	for i := len(lines) - 1; i >= max(0, len(lines)-latestLines); i-- {
		if found := missingVariable.FindStringSubmatch(lines[i]); found != nil {
			return lines[i], cmp.Or(found[1], found[2])
		}
		if line == "" && errorLine.MatchString(lines[i]) {
			line = lines[i]
		}
	}
	if line == "" && len(lines) > 0 {
		line = lines[len(lines)-1]
	}
	return line, ""
}
