package shaping

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Kind is how a result was cut.
type Kind string

// The values of [Kind].
const (
	// Text keeps its head and its tail.
	Text Kind = "text"
	// Array keeps its leading items.
	Array Kind = "array"
	// JSON lost members, or items of arrays within it.
	JSON Kind = "json"
)

// Reader says how a model reads on: the call that returns a part of the kept
// result. It is shown in notices, so it must be a call that the model can
// make.
type Reader func(arguments string) string

// Result is what a tool answered, as far as it costs context.
type Result struct {
	// Content are the blocks of the answer.
	Content []json.RawMessage
	// Structured is its structuredContent; it may be nil.
	Structured json.RawMessage
}

// Shaped is a result that fits.
type Shaped struct {
	// Result holds the blocks that are left in their order; those that were not
	// cut are the very bytes that came.
	Result
	// Kind is how the first part that was cut was cut; empty when the result is
	// as it came, because it would not have become shorter.
	Kind Kind
	// Omitted is how many characters were left out.
	Omitted int
}

// Bounds of a cut result.
const (
	// noteRoom is how much of the limit is kept for the note.
	noteRoom = 320
	// maxParts is how many parts of a result are shown. Text blocks are joined
	// where there are more.
	maxParts = 100
)

// Document returns the text of a result: that of its parts, with a line feed
// between two. It is what a handle stands for. Structured content is the last
// line, unless one of the texts says the same.
func Document(r Result) string {
	parts := r.parts()
	if len(parts) > 0 && repeats(parts) {
		parts = parts[:len(parts)-1]
	}
	var document []byte
	for i, p := range parts {
		if i > 0 {
			document = append(document, '\n')
		}
		document = append(document, p.text...)
	}
	return string(document)
}

// Fits reports whether all parts of a result together have at most limit
// characters. A limit of 0 is none.
func Fits(r Result, limit int) bool { return limit <= 0 || r.length() <= limit }

// Shape cuts a result to limit characters in all, the one note included; one
// that fits ([Fits]) stays as it came. Short parts stay whole, and the long ones
// share what these leave; what there is no room for is left out. read says how
// to read the rest of [Document]. With a limit shorter than the note the note
// comes on top, but nothing ever becomes longer than it was.
func Shape(r Result, limit int, read Reader) Shaped {
	if Fits(r, limit) {
		return Shaped{Result: r}
	}
	joined := r.joined()
	s := shaper{read: read, parts: joined.parts(), out: Shaped{Result: Result{Structured: r.Structured}}}
	s.needs(max(limit-noteRoom, limit/2))
	for i := range joined.Content {
		s.block(i, joined.Content[i])
	}
	s.structured()
	s.addNote()
	if s.out.length() >= r.length() || s.out.bytes() > r.bytes() {
		return Shaped{Result: r}
	}
	return s.out
}

// shaper cuts the parts of one result.
type shaper struct {
	read   Reader
	parts  []part
	shares []int
	// next is the part at which the work is.
	next int
	out  Shaped
	// note says what was left out first; placed when it stands in a text.
	note   string
	placed bool
}

// needs divides the limit among the parts: those that need less than their
// equal part leave the rest to the others.
func (s *shaper) needs(limit int) {
	needs := make([]int, len(s.parts))
	for i, p := range s.parts {
		if i < maxParts || p.block < 0 {
			needs[i] = utf8.RuneCountInString(p.text)
		}
	}
	s.shares = fairShares(needs, limit)
}

// block puts out a block, cut to its share. One that is no part passes.
func (s *shaper) block(i int, raw json.RawMessage) {
	if s.next == len(s.parts) || s.parts[s.next].block != i {
		s.out.Content = append(s.out.Content, raw)
		return
	}
	p, share := s.parts[s.next], s.shares[s.next]
	s.next++
	size := utf8.RuneCountInString(p.text)
	switch {
	case size <= share:
		s.out.Content = append(s.out.Content, raw)
	case share == 0 || p.set == nil:
		s.leaveOut(p, size)
	default:
		c := cutBlock(p.text, share, p.offset, s.read)
		s.noteCut(c)
		s.out.Content = append(s.out.Content, p.set(s.withNote(c)))
	}
}

// leaveOut counts a part that is not shown.
func (s *shaper) leaveOut(p part, size int) {
	s.noteCut(cutting{kind: Text, omitted: size, note: fmt.Sprintf(
		"[Winnow left out parts of this result. Read them: %s]", s.read(fmt.Sprintf(`"offset":%d`, p.offset)))})
}

func (s *shaper) noteCut(c cutting) {
	if s.out.Kind == "" {
		s.out.Kind = c.kind
	}
	s.out.Omitted += c.omitted
	if s.note == "" {
		s.note = c.note
	}
}

// withNote returns a text that was cut, with the note of the result in the
// first one, and a mark in the others.
func (s *shaper) withNote(c cutting) string {
	switch {
	case c.note == "":
		return c.head
	case s.placed || s.note != c.note:
		return c.head + "\n[…]\n" + c.tail
	}
	s.placed = true
	if c.tail == "" {
		return c.head + "\n" + c.note
	}
	return c.head + "\n" + c.note + "\n" + c.tail
}

// structured cuts the structured content, which is the last part.
func (s *shaper) structured() {
	if s.next == len(s.parts) {
		return
	}
	p, share := s.parts[s.next], s.shares[s.next]
	size := utf8.RuneCountInString(p.text)
	if size <= share {
		s.out.Structured = json.RawMessage(p.text)
		return
	}
	c, ok := cutStructured(p.text, share, s.read)
	if !ok {
		s.out.Structured = nil
		s.leaveOut(p, size)
		return
	}
	s.noteCut(c)
	s.out.Structured = json.RawMessage(c.head)
}

// addNote adds the note as a block where it stands in no text.
func (s *shaper) addNote() {
	if s.note == "" || s.placed {
		return
	}
	s.out.Content = append(s.out.Content, json.RawMessage(`{"type":"text","text":`+string(quote(s.note))+`}`))
}

// cutting is one text that was cut: what is left before and behind the note.
type cutting struct {
	head, note, tail string
	kind             Kind
	omitted          int
}

// cutBlock cuts one text whose document begins at offset.
func cutBlock(text string, limit, offset int, read Reader) cutting {
	if c, ok := cutJSON(text, limit, read); ok {
		return c
	}
	return cutText(text, limit, offset, read)
}

// cutText keeps two thirds of limit from the head of a text and one third from
// its tail: what a tool says comes first, and what went wrong comes last.
func cutText(text string, limit, offset int, read Reader) cutting {
	runes := []rune(text)
	head := limit * 2 / 3
	tail := limit - head
	omitted := len(runes) - head - tail
	return cutting{
		head: string(runes[:head]),
		note: fmt.Sprintf("[Winnow left out %d of %d characters here. Read them: %s]",
			omitted, len(runes), read(fmt.Sprintf(`"offset":%d`, offset+head))),
		tail:    string(runes[len(runes)-tail:]),
		kind:    Text,
		omitted: omitted,
	}
}

func quote(text string) json.RawMessage {
	// A string always encodes.
	encoded, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return encoded
}
