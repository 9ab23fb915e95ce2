package shaping

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds on a search. Go's regexp takes time proportional to program size times text
// length, and cannot be interrupted.
const (
	// maxExpression bounds the bytes of an expression, maxProgram the instructions of its
	// program: a short expression with counts, such as `(?:x{100}){10}`, has many.
	maxExpression = 1000
	maxProgram    = 20_000
	// maxWork bounds the instructions times bytes of a document.
	maxWork = 2_000_000_000
	// piece is the work between two calls of stop; it takes some milliseconds.
	piece = 1 << 20
)

// ErrWork is returned, before the search, for an expression that is too expensive for the
// document.
var ErrWork = errors.New("the expression is too expensive for a text of this size; use a simpler one, without counts such as {900}")

// Program returns the number of instructions of a compiled expression (RE2).
func Program(expression string) (int, error) {
	if len(expression) > maxExpression {
		return 0, fmt.Errorf("the expression has %d bytes, and the limit is %d", len(expression), maxExpression)
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}

// Grep returns the lines of a document that match a regular expression (RE2), each with
// its number, after skipping the first skip matches. It calls stop, which may be nil,
// every few milliseconds and returns its error.
func Grep(document, expression string, skip, limit int, stop func() error) (Part, error) {
	size, err := Program(expression)
	if err == nil && (size > maxProgram || size*len(document) > maxWork) {
		err = ErrWork
	}
	if err != nil {
		return Part{}, fmt.Errorf("grep: %w", err)
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return Part{}, fmt.Errorf("grep: %w", err)
	}
	m := matcher{re: re, size: size, stop: stop}
	var b strings.Builder
	matched, shown, used, number := 0, 0, 0, 0
	for line := range strings.Lines(document) {
		number++
		line = strings.TrimRight(line, "\r\n")
		hit := m.match(line)
		if m.err != nil {
			return Part{}, fmt.Errorf("grep ended at line %d: %w", number, m.err)
		}
		if !hit {
			continue
		}
		matched++
		if matched <= skip || used >= limit {
			continue
		}
		text := m.grepLine(number, line, limit-used)
		used += utf8.RuneCountInString(text)
		b.WriteString(text)
		shown++
	}
	note := fmt.Sprintf("%d of %d matching lines, of %d lines.", shown, matched, number)
	if end := skip + shown; end < matched {
		note += fmt.Sprintf(` Next: the same with "offset":%d.`, end)
	}
	return Part{b.String(), note}, nil
}

// grepLine formats a match. A line longer than room is truncated around its first match:
// a log or JSON document may be a single line.
func (m *matcher) grepLine(number int, line string, room int) string {
	hit := fmt.Sprintf("%d: %s", number, line)
	if utf8.RuneCountInString(hit) < room {
		return hit + "\n"
	}
	if from := before(line, m.find(line), room/4); from > 0 {
		hit = fmt.Sprintf("%d: …%s", number, line[from:])
	}
	if utf8.RuneCountInString(hit) < room {
		return hit + "\n"
	}
	return firstRunes(hit, max(0, room-2)) + "…\n"
}

// before returns the offset n runes before an offset, or 0.
func before(text string, offset, n int) int {
	for ; n > 0 && offset > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:offset])
		offset -= size
	}
	return offset
}

// matcher matches an expression against texts and can be stopped.
type matcher struct {
	re   *regexp.Regexp
	size int
	stop func() error
	// work is the work since the last call of stop; err is its error.
	work int
	err  error
}

// match reports whether a text matches. A short text is matched at once, which is faster;
// a long one through a stoppable reader.
func (m *matcher) match(text string) bool {
	if work := (len(text) + 1) * m.size; work <= piece {
		m.spend(work)
		return m.err == nil && m.re.MatchString(text)
	}
	return m.re.MatchReader(&stoppable{text: text, matcher: m}) && m.err == nil
}

// find returns the offset of the first match in a text that matches; 0 if the search was
// stopped.
func (m *matcher) find(text string) int {
	if found := m.re.FindReaderIndex(&stoppable{text: text, matcher: m}); found != nil && m.err == nil {
		return found[0]
	}
	return 0
}

// spend counts work, and calls stop after each piece.
func (m *matcher) spend(work int) {
	if m.work += work; m.work < piece || m.err != nil || m.stop == nil {
		return
	}
	m.work = 0
	m.err = m.stop()
}

// stoppable reads a text until it ends or the matcher is stopped.
type stoppable struct {
	text string
	*matcher
}

// ReadRune implements io.RuneReader.
func (s *stoppable) ReadRune() (rune, int, error) {
	s.spend(s.size)
	if s.text == "" || s.err != nil {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRuneInString(s.text)
	s.text = s.text[size:]
	return r, size, nil
}
