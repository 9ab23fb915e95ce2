package display

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// How many letters the rows of lists have at VS Code's default width: of a
// server, of a tool, and of a tool of a task.
const (
	serverRoom   = 26
	toolRoom     = 26
	taskToolRoom = 28
)

// minName is the least that is left of a name.
const minName = 10

// fitted shortens a name in its middle so that what stands beside it in a row of
// so many letters is not cut. What tells names apart is at their ends.
func fitted(name, beside string, room int) string {
	limit := max(float64(room)-1-0.9*width(beside), minName) // what stands beside is smaller
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

// label gives a row its name, shortened as [fitted] does.
func label(row *protocol.Row, name, beside string, room int) {
	row.Label = fitted(name, beside, room)
	if row.Label != name {
		row.Name = name
	}
}

// uncut is what must be seen of a description: its end may be cut, for which VS
// Code writes dots.
func uncut(seen, rest string) string {
	if rest != "" {
		rest = "…"
	}
	return joined(" · ", seen, rest)
}
