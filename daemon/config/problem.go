package config

import (
	"fmt"
	"strings"
)

// Severity is how much a [Problem] takes away.
type Severity string

// The values of [Severity].
const (
	// Error: something the user wrote is not in effect.
	Error Severity = "error"
	// Warning: it is in effect, but probably not as the user thinks.
	Warning Severity = "warning"
)

// Problem is something wrong in a file, shown to the person who wrote it. It
// names keys, servers and modes, and never quotes any other value of the file.
type Problem struct {
	// Path is the file.
	Path string
	// Line and Column count from 1. They are 0 when the problem has no place in
	// the text, for example when a file cannot be read. Column counts UTF-16
	// code units, as editors do.
	Line, Column int
	Severity     Severity
	// Server is the name of the entry concerned; empty when none is.
	Server string
	// Message says what is wrong.
	Message string
	// Hint says what to do about it; it may be empty.
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
