package journal

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// Title is what an entry is of: its server, and the tool.
func (e *Entry) Title() string {
	title := e.Server
	if e.Tool != "" {
		title += "/" + e.Tool
	}
	return printable(cmp.Or(title, string(e.Kind)))
}

// End is how it ended, and how long it took.
func (e *Entry) End() string {
	end := printable(e.Outcome)
	if e.DurationMs > 0 {
		end += fmt.Sprintf(", %.1f ms", e.DurationMs)
	}
	return end
}

// Details are all else but the time and the text of the arguments.
func (e *Entry) Details() string {
	parts := []string{string(e.Kind)}
	for _, part := range []struct{ before, text string }{
		{"for ", e.Client}, {"confirmed by ", e.By}, {"arguments ", e.ArgumentsHash}, {"task ", e.Task},
	} {
		if part.text != "" {
			parts = append(parts, part.before+printable(part.text))
		}
	}
	details := strings.Join(parts, ", ")
	if e.Detail != "" {
		details += ": " + printable(e.Detail)
	}
	return details
}

// printable takes out what a terminal would obey: names and details are other
// people's.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
