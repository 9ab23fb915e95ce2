package jsonc

import "github.com/aymanbagabas/go-udiff"

// TextEdit replaces what stands between two positions of a text.
type TextEdit struct {
	Start, End Position
	New        string
}

// Edits returns the changes that make one text of another, line by line, in the
// order of the text; none when they are the same.
func Edits(before, after string) []TextEdit {
	lines := NewLines([]byte(before))
	var edits []TextEdit
	for _, e := range udiff.Lines(before, after) {
		edits = append(edits, TextEdit{lines.At(e.Start), lines.At(e.End), e.New})
	}
	return edits
}
