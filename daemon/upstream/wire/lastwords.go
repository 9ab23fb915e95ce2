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

// exitedError is the unexpected end of a child.
type exitedError struct{ text string }

func (e *exitedError) Error() string { return e.text }

const (
	// longestWords is the number of bytes of a server's line that an error quotes.
	longestWords = 300
	// latestLines is how many of the last lines are searched for the cause, because a
	// stack trace may follow it.
	latestLines = 40
)

var (
	variable = `\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b`
	// missingVariable matches a line that says that an environment variable is not set,
	// with its name after or before the phrase.
	missingVariable = regexp.MustCompile(
		`(?i:missing|requires?|required|please set|must set|please provide)[^.;]{0,60}?` + variable + `|` +
			variable + `[^.;]{0,40}?(?i:\bmissing|\brequired|\bnot (?:set|provided|found|defined|configured)|\bmust be (?:set|provided)|\bundefined|\bunset|\bis empty)`)
	// errorLine matches a line that begins with a word for an error.
	errorLine = regexp.MustCompile(`(?i)^(?:\[stdout\] )?(?:[\w.]*(?:error|exception)|fatal|panic|uncaught)\b`)
)

// deathError returns the error for an exited child, the printed cause first.
func deathError(cause error, log *clean.Ring, redact *clean.Redactor) error {
	text := clean.Shown(redact, cause.Error())
	line, missing := lastWords(log.Lines())
	// Truncated after redaction: half a secret would not be recognized.
	line = redact.Log(strings.ToValidUTF8(line, ""))
	if line != "" {
		text = strings.ToValidUTF8(line[:min(len(line), longestWords)], "") + " (printed before " + text + ")"
	}
	if missing == "" {
		return &exitedError{text: text}
	}
	told := plainwords.Missing(missing)
	if said := strings.TrimRight(line, " .!"); strings.EqualFold(said[max(0, len(said)-len(told)):], told) {
		text = strings.Replace(text, line, told, 1) // the line says the same, perhaps after "Error: "
	} else {
		text = told + ": " + text
	}
	return &fault.Failure{
		Err:     &exitedError{text: text},
		Next:    fmt.Sprintf("Give %s a value under \"env\" of the server's entry.", missing),
		Missing: missing,
	}
}

// lastWords returns the line that gives the reason of the exit and the missing
// environment variable; both may be empty. It prefers the last line that names such a
// variable, then the last that begins as an error, then the last line.
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
