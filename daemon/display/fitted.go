package display

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Letters in the rows of lists at VS Code's default width: for a server, for a tool, and
// for a tool of a task.
const (
	serverRoom   = 26
	toolRoom     = 26
	taskToolRoom = 28
)

// minName is the fewest letters kept of a name.
const minName = 10

// fitted shortens a name in its middle so that the text beside it is not cut in a row of
// room letters. Names usually differ at their ends.
func fitted(name, beside string, room int) string {
	limit := max(float64(room)-1-0.9*width(beside), minName) // the text beside it is smaller
	if width(name) <= limit {
		return name
	}
	letters := lettersOf(name)
	head, tail, sum := 0, len(letters), width("…")
	for head < tail {
		fromHead := head <= len(letters)-tail
		next := letters[tail-1]
		if fromHead {
			next = letters[head]
		}
		if sum += widthOf(next); sum > limit {
			break
		}
		if fromHead {
			head++
		} else {
			tail--
		}
	}
	return strings.Join(letters[:head], "") + "…" + strings.Join(letters[tail:], "")
}

// label sets a row's label to a name, shortened as by [fitted].
func label(row *protocol.Row, name, beside string, room int) {
	row.Label = fitted(name, beside, room)
	if row.Label != name {
		row.Name = name
	}
}

// uncut returns the part of a description that must be visible. VS Code may cut the rest
// and adds an ellipsis.
func uncut(seen, rest string) string {
	if rest != "" {
		rest = "…"
	}
	return joined(" · ", seen, rest)
}
