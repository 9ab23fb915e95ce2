package display

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// How many letters the rows of lists have at VS Code's default width: of a
// server, of a tool, of a tool of a task, and of a quick pick.
const (
	serverRoom   = 26
	toolRoom     = 26
	taskToolRoom = 28
	pickRoom     = 74
)

// minName is the least that is left of a name.
const minName = 10

// fitted shortens a name in its middle so that what stands beside it in a row of
// so many letters is not cut. What tells names apart is at their ends.
func fitted(name, beside string, room int) string {
	limit := max(float64(room)-1-0.9*width([]rune(beside)), minName) // what stands beside is smaller
	letters := []rune(name)
	if width(letters) <= limit {
		return name
	}
	gap := len(letters)
	for width(letters) > limit-width([]rune("…")) {
		gap = len(letters) / 2
		letters = append(letters[:gap:gap], letters[gap+1:]...)
	}
	return string(letters[:gap]) + "…" + string(letters[gap:])
}

// label gives a row its name, shortened as [fitted] does.
func label(row *protocol.Row, name, beside string, room int) {
	row.Label = fitted(name, beside, room)
	if row.Label != name {
		row.Name = name
	}
}

// width is how wide a text is about, in letters of a proportional font.
func width(text []rune) float64 {
	sum := 0.0
	for _, letter := range text {
		switch {
		case strings.ContainsRune("fijlrtI|.,:;'- ·", letter):
			sum += 0.6
		case strings.ContainsRune("mwMW@…", letter):
			sum += 1.4
		default:
			sum++
		}
	}
	return sum
}

// uncut is what must be seen of a description: its end may be cut, for which VS
// Code writes dots.
func uncut(seen, rest string) string {
	if rest != "" {
		rest = "…"
	}
	return joined(" · ", seen, rest)
}

// wrapped breaks a text into lines of whole words.
func wrapped(text string, length int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= length {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
