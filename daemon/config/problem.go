package config

import (
	"fmt"
	"strings"
)

// Severity is the effect of a [Problem].
type Severity string

// The values of [Severity].
const (
	// Error: something in the file has no effect.
	Error Severity = "error"
	// Warning: it has an effect, but probably not the intended one.
	Warning Severity = "warning"
)

// Problem is an error in a file, shown to its author. It names keys, servers and modes,
// and never quotes other values of the file.
type Problem struct {
	// Path is the file.
	Path string
	// Line and Column are 1-based. They are 0 if the problem has no position, for example
	// if a file cannot be read. Column counts UTF-16 code units, as editors do.
	Line, Column int
	Severity     Severity
	// Server is the name of the entry concerned, or "".
	Server string
	// Message says what is wrong.
	Message string
	// Hint says what to do about it; may be empty.
	Hint string
}

// String formats the problem as path:line:column: message (hint).
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Path)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	b.WriteString(p.Message)
	if p.Hint != "" {
		fmt.Fprintf(&b, " (%s)", p.Hint)
	}
	return b.String()
}
