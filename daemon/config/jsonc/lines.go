package jsonc

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// Position counts lines and columns from 1, columns in UTF-16 code units.
type Position struct{ Line, Column int }

// Lines converts byte offsets of a text into positions.
type Lines struct {
	data   []byte
	starts []int // offset of each line's first byte
	// The last result: positions are mostly requested in the order of the text, and a
	// file can be one very long line.
	lastOffset int
	last       Position
}

// NewLines indexes a text, which must not change.
func NewLines(data []byte) *Lines {
	l := &Lines{data: data, starts: []int{0}, last: Position{1, 1}}
	for i := 0; ; {
		n := bytes.IndexByte(data[i:], '\n')
		if n < 0 {
			return l
		}
		i += n + 1
		l.starts = append(l.starts, i)
	}
}

// At returns the position of the byte at offset; one past the end is allowed.
func (l *Lines) At(offset int) Position {
	offset = max(0, min(offset, len(l.data)))
	line := sort.SearchInts(l.starts, offset+1) // the first start after offset, so 1-based
	from, column := l.starts[line-1], 1
	if l.last.Line == line && l.lastOffset <= offset {
		from, column = l.lastOffset, l.last.Column
	}
	column += utf16Length(l.data[from:offset])
	l.lastOffset, l.last = offset, Position{line, column}
	return l.last
}

// utf16Length counts the UTF-16 code units of b; an invalid byte counts as one.
func utf16Length(b []byte) int {
	n := 0
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r > 0xffff {
			n++
		}
		n++
		b = b[size:]
	}
	return n
}
