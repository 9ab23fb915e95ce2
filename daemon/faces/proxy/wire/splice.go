package wire

import (
	"bytes"
	"maps"
	"slices"
)

// splice is a piece of a text that another takes the place of.
type splice struct {
	at   span
	text []byte
}

// spliced returns the text with the pieces replaced. They must not overlap; a
// piece without a place is left out.
func spliced(text []byte, pieces ...splice) []byte {
	pieces = slices.DeleteFunc(pieces, func(p splice) bool { return p.at.empty() })
	if len(pieces) == 0 {
		return text
	}
	slices.SortFunc(pieces, func(a, b splice) int { return a.at.start - b.at.start })
	var out bytes.Buffer
	out.Grow(len(text))
	from := 0
	for _, p := range pieces {
		out.Write(text[from:p.at.start])
		out.Write(p.text)
		from = p.at.end
	}
	out.Write(text[from:])
	return out.Bytes()
}

// sortedKeys returns the keys of a map in their order.
func sortedKeys(m map[string][]byte) []string { return slices.Sorted(maps.Keys(m)) }
