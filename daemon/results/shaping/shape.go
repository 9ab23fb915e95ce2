package shaping

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Kind is how a result was truncated.
type Kind string

// The values of [Kind].
const (
	// Text: head and tail are kept.
	Text Kind = "text"
	// Array: the leading items are kept.
	Array Kind = "array"
	// JSON: members, parts of strings, or nested items were removed.
	JSON Kind = "json"
)

// Reader returns the call by which a model reads a part of the stored result, given the
// arguments besides the handle, such as `"offset":300`. It returns "" if that call would
// return nothing. The call is shown in notes, so it must be tested and available to the
// model.
type Reader func(arguments string) string

// Result is the result of a tool.
type Result struct {
	// Content holds the content blocks.
	Content []json.RawMessage
	// Structured is structuredContent and Meta is _meta; they may be nil.
	Structured, Meta json.RawMessage
}

// Options configure [Shape].
type Options struct {
	// Chars bounds the characters of everything but images and audio. Media bounds their
	// data (base64), all together. 0 means no limit.
	Chars, Media int
	// Read returns the call to read on; nil if the result is not stored.
	Read Reader
	// Pass is how to pass the result on unread. It is appended to the note if there is a
	// way to read on.
	Pass string
	// Valid reports whether structured content matches the schema that the client has. If
	// nil, the client has none, and truncated structured content becomes text, so that
	// the note is read.
	Valid func(structured json.RawMessage) bool
}

// Shaped is a result that fits.
type Shaped struct {
	// Result holds the remaining blocks in order. Untouched blocks are byte for byte the
	// original.
	Result
	// Kind is how the first truncated part was truncated. It is empty if the result is
	// unchanged, because it fits or would not become shorter.
	Kind Kind
	// Omitted is the number of characters left out.
	Omitted int
	// Invalid: no part of the structured content matched the schema, so it was removed.
	Invalid bool
}

// Bounds of a truncated result.
const (
	// noteRoom is the part of the limit reserved for the note.
	noteRoom = 320
	// maxParts bounds the parts shown of a result. Beyond it, text blocks are joined.
	maxParts = 100
)

// Document is the text behind a handle.
type Document struct {
	// Text joins the texts of a result's parts with line feeds. Structured content is the
	// last part, unless it repeats the texts.
	Text string
	// From and To are the byte range in Text of the JSON for paths: the longest text that
	// is JSON, or else the structured content. They are equal if there is none.
	From, To int
}

// DocumentOf returns the document of a result.
func DocumentOf(r Result) Document {
	var d Document
	var text []byte
	for i, p := range r.parts() {
		if i > 0 {
			text = append(text, '\n')
		}
		text = append(text, p.text...)
		if p.paths {
			d.From, d.To = p.from, len(text)
		}
	}
	d.Text = string(text)
	return d
}

// Fits reports whether a result is within the limits.
func Fits(r Result, o Options) bool {
	return (o.Chars <= 0 || r.length() <= o.Chars) && (o.Media <= 0 || r.mediaLength() <= o.Media)
}

// Shape truncates a result to the limits, including the note; a result that fits ([Fits])
// is unchanged. Short parts stay whole, and long ones share the rest; parts without room
// are left out. With a limit shorter than the note, the note is added on top, but the
// result never becomes longer.
func Shape(r Result, o Options) Shaped {
	length, media := r.length(), r.mediaLength()
	long := o.Chars > 0 && length > o.Chars
	if !long && (o.Media <= 0 || media <= o.Media) {
		return Shaped{Result: r}
	}
	joined := r.joined()
	s := shaper{Options: o, parts: joined.parts(), out: Shaped{Result: Result{Structured: r.Structured, Meta: r.Meta}}}
	s.divide(r.Meta, long)
	for i := range joined.Content {
		s.block(i, joined.Content[i])
	}
	s.structured(r.Structured)
	s.addNote()
	if s.out.length()+s.out.mediaLength() >= length+media || s.out.bytes() > r.bytes() {
		return Shaped{Result: r}
	}
	return s.out
}

// shaper truncates the parts of one result.
type shaper struct {
	Options
	parts  []part
	shares []int
	// next is the index of the current part; media is the size of the images and audio
	// emitted so far.
	next, media int
	out         Shaped
	// note describes the first omission and how to read on. placed is set once it is in a
	// text. first is the note of the text that gets it.
	note, first string
	placed      bool
	// lost describes what cannot be read on. It is used if there is no other note.
	lost string
}

// divide divides the limit among the parts by [fairShares].
func (s *shaper) divide(meta json.RawMessage, long bool) {
	needs := make([]int, len(s.parts))
	texts := 0
	for i, p := range s.parts {
		if i < maxParts || p.block < 0 {
			needs[i] = p.size
		}
		if p.block >= 0 {
			texts += p.size
		} else if s.Valid == nil && texts >= p.size/2 {
			needs[i] = 0 // the texts are its other form
		}
	}
	limit := s.Chars
	if !long {
		s.shares = needs // only media exceed a limit
		return
	}
	if n := utf8.RuneCount(meta); n > max(maxFrame, limit/4) {
		s.out.Meta, s.lost = nil, fmt.Sprintf("[Winnow left out the _meta of this result: %d characters, which are lost.]", n)
		s.noteCut(cutting{kind: JSON, omitted: n})
	} else {
		limit -= n
	}
	s.shares = fairShares(needs, max(limit-noteRoom, limit/2))
}

// block emits a block, truncated to its share.
func (s *shaper) block(i int, raw json.RawMessage) {
	if s.next == len(s.parts) || s.parts[s.next].block != i {
		s.medium(raw)
		return
	}
	p, share := s.parts[s.next], s.shares[s.next]
	s.next++
	// The other members of the block count.
	room := share - (p.size - utf8.RuneCountInString(p.text))
	switch {
	case p.size <= share:
		s.out.Content = append(s.out.Content, raw)
	case room <= 0 || p.set == nil:
		s.leaveOut(p)
	default:
		c := s.cutBlock(p, room)
		s.noteCut(c)
		s.out.Content = append(s.out.Content, p.set(s.withNote(c)))
	}
}

// medium emits an image or audio whole, or a note that it is too long.
func (s *shaper) medium(raw json.RawMessage) {
	size := media(raw)
	if s.media += size; s.Media <= 0 || s.media <= s.Media {
		s.out.Content = append(s.out.Content, raw)
		return
	}
	s.media -= size
	s.out.Content = append(s.out.Content, textBlock(fmt.Sprintf(
		"[Winnow left out an image or audio of %d characters: a result has at most %d of them (winnow.results.maxMediaChars). Ask for a smaller one.]", size, s.Media)))
	s.out.Omitted += size
	if s.out.Kind == "" {
		s.out.Kind = Text
	}
}

// leaveOut records an omitted part.
func (s *shaper) leaveOut(p part) {
	var ways []string
	if p.paths {
		ways = append(ways, `"jsonpath":"$"`)
	}
	s.noteCut(cutting{kind: Text, omitted: p.size, note: "[Winnow left out parts of this result." +
		s.Read.onward(append(ways, fmt.Sprintf(`"offset":%d`, p.offset))...) + "]"})
}

func (s *shaper) noteCut(c cutting) {
	if s.out.Kind == "" {
		s.out.Kind = c.kind
	}
	s.out.Omitted += c.omitted
	if s.note == "" && c.note != "" {
		s.first, s.note = c.note, c.note
		if s.Pass != "" && s.Read != nil {
			s.note = strings.TrimSuffix(c.note, "]") + " " + s.Pass + "]"
		}
	}
}

// onward returns how to read on, by the first way that works.
func (r Reader) onward(ways ...string) string {
	if r == nil {
		return " The rest is lost: it could not be kept."
	}
	for _, way := range ways {
		if call := r(way); call != "" && utf8.RuneCountInString(call) <= noteRoom/2 {
			return " Read on: " + call
		}
	}
	return " Call the tool for less at once to see the rest."
}

// withNote returns a truncated text, with the note in the first one and a mark in the
// others.
func (s *shaper) withNote(c cutting) string {
	switch {
	case c.note == "":
		return c.head
	case s.placed || s.first != c.note:
		return c.head + "\n[…]\n" + c.tail
	}
	s.placed = true
	if c.tail == "" {
		return c.head + "\n" + s.note
	}
	return c.head + "\n" + s.note + "\n" + c.tail
}

// addNote adds the note as a block if no text has it.
func (s *shaper) addNote() {
	if note := cmp.Or(s.note, s.lost); note != "" && !s.placed {
		s.out.Content = append(s.out.Content, textBlock(note))
	}
}

// cutting is a truncated text: the parts before and after the note.
type cutting struct {
	head, note, tail string
	kind             Kind
	omitted          int
}

// cutBlock truncates one text.
func (s *shaper) cutBlock(p part, limit int) cutting {
	if c, ok := cutJSON(p, limit, s.Read); ok {
		return c
	}
	return cutText(p, limit, s.Read)
}

// cutText keeps two thirds of limit from the head of a text and one third from its tail,
// where tools report errors.
func cutText(p part, limit int, read Reader) cutting {
	runes := []rune(p.text)
	head := limit * 2 / 3
	tail := limit - head
	omitted := len(runes) - head - tail
	return cutting{
		head: string(runes[:head]),
		note: fmt.Sprintf("[Winnow left out %d of %d characters here.%s]",
			omitted, len(runes), read.onward(fmt.Sprintf(`"offset":%d`, p.offset+head))),
		tail:    string(runes[len(runes)-tail:]),
		kind:    Text,
		omitted: omitted,
	}
}

func quote(text string) json.RawMessage { return ijson.AppendQuote(nil, text) }
