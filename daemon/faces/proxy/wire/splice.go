package wire

import (
	"bytes"
	"maps"
	"slices"
)

// splice replaces a span of a text.
type splice struct {
	at   span
	text []byte
}

// spliced returns the text with spans replaced. They must not overlap; a splice with an
// empty span is ignored.
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

// sortedKeys returns the keys of a map, sorted.
func sortedKeys(m map[string][]byte) []string { return slices.Sorted(maps.Keys(m)) }
