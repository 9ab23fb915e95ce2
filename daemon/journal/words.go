package journal

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
)

// Title returns the subject of an entry: its server, and the tool.
func (e *Entry) Title() string {
	title := e.Server
	if e.Tool != "" {
		title += "/" + e.Tool
	}
	return hiddentext.PrintableLine(cmp.Or(title, string(e.Kind)))
}

// handedTime is how long a handed-over call may be pending. After it the chat or the
// window was probably closed.
const handedTime = time.Hour

// End returns the outcome and the duration.
func (e *Entry) End() string {
	end := hiddentext.PrintableLine(e.Outcome)
	if e.Outcome == Unknown && e.RunBy == RunByHost && e.Detail == "" && time.Since(e.Time) < handedTime {
		end = "handed to VS Code"
	}
	if e.DurationMs > 0 {
		end += fmt.Sprintf(", %.1f ms", e.DurationMs)
	}
	return end
}

// Details returns everything except the time and the text of the arguments.
func (e *Entry) Details() string {
	parts := []string{string(e.Kind)}
	for _, part := range []struct{ before, text string }{
		{"for ", e.Client}, {"confirmed by ", e.By}, {"arguments ", e.ArgumentsHash}, {"task ", e.Task},
	} {
		if part.text != "" {
			parts = append(parts, part.before+hiddentext.PrintableLine(part.text))
		}
	}
	details := strings.Join(parts, ", ")
	if e.Detail != "" {
		details += ": " + hiddentext.PrintableLine(e.Detail)
	}
	return details
}
