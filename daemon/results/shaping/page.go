package shaping

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Part is a readable part of a document.
type Part struct {
	// Text is the part. By offset or lines it is exactly as in the document.
	Text string
	// Note describes the position of the part and how to read on.
	Note string
}

// PageAt returns the part of a document that begins at the character offset. The parts
// from offset 0 on, each beginning at the end of the one before, add up to the document.
func PageAt(document string, offset, limit int) (Part, error) {
	total := utf8.RuneCountInString(document)
	if offset < 0 || offset > total {
		return Part{}, fmt.Errorf("offset %d lies outside of the %d characters", offset, total)
	}
	text := firstRunes(skipRunes(document, offset), limit)
	end := offset + utf8.RuneCountInString(text)
	note := fmt.Sprintf("Characters %d to %d of %d.", offset, end, total)
	if end < total {
		note += fmt.Sprintf(` Next: "offset":%d.`, end)
	} else {
		note += " This is the end."
	}
	return Part{text, note}, nil
}

func skipRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[i:]
		}
		n--
	}
	return ""
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// errLines is returned for a malformed range of lines.
var errLines = errors.New(`"lines" is a range such as "10-20", or one number; lines count from 1`)

// Lines returns a range of a document's lines, as `10-20`, `10-` or `10`.
func Lines(document, span string, limit int) (Part, error) {
	from, to, err := parseSpan(span)
	if err != nil {
		return Part{}, err
	}
	lines := strings.SplitAfter(document, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if from > len(lines) {
		return Part{}, fmt.Errorf("line %d is behind the last of %d", from, len(lines))
	}
	to = min(to, len(lines))
	var b strings.Builder
	last, size := from-1, 0
	for _, line := range lines[from-1 : to] {
		if size += utf8.RuneCountInString(line); size > limit {
			break
		}
		b.WriteString(line)
		last++
	}
	if last < from {
		return Part{}, fmt.Errorf("line %d alone is longer than %d characters; read it by offset", from, limit)
	}
	note := fmt.Sprintf("Lines %d to %d of %d.", from, last, len(lines))
	if last < len(lines) {
		note += fmt.Sprintf(` Next: "lines":"%d-".`, last+1)
	}
	return Part{b.String(), note}, nil
}

func parseSpan(span string) (from, to int, err error) {
	low, high, ranged := strings.Cut(strings.ReplaceAll(span, " ", ""), "-")
	from, err = strconv.Atoi(low)
	if err != nil || from < 1 {
		return 0, 0, errLines
	}
	switch {
	case !ranged:
		return from, from, nil
	case high == "":
		return from, int(^uint(0) >> 1), nil
	}
	to, err = strconv.Atoi(high)
	if err != nil || to < from {
		return 0, 0, errLines
	}
	return from, to, nil
}
