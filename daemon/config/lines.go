package config

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// position counts lines and columns from 1, columns in UTF-16 code units.
type position struct{ line, column int }

// lineIndex turns byte offsets of a text into positions.
type lineIndex struct {
	data   []byte
	starts []int // offset of each line's first byte
	// The last answer: positions are mostly asked for in the order of the text,
	// and a file can be one very long line.
	lastOffset int
	last       position
}

func newLineIndex(data []byte) *lineIndex {
	l := &lineIndex{data: data, starts: []int{0}, last: position{1, 1}}
	for i := 0; ; {
		n := bytes.IndexByte(data[i:], '\n')
		if n < 0 {
			return l
		}
		i += n + 1
		l.starts = append(l.starts, i)
	}
}

// at returns the position of the byte at offset; one past the end is allowed.
func (l *lineIndex) at(offset int) position {
	offset = max(0, min(offset, len(l.data)))
	line := sort.SearchInts(l.starts, offset+1) // the first start after offset, so 1-based
	from, column := l.starts[line-1], 1
	if l.last.line == line && l.lastOffset <= offset {
		from, column = l.lastOffset, l.last.column
	}
	column += utf16Length(l.data[from:offset])
	l.lastOffset, l.last = offset, position{line, column}
	return l.last
}

// utf16Length counts the UTF-16 code units of b; a broken byte counts as one.
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
