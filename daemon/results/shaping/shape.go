package shaping

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
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
	// JSON lost members, parts of strings, or items of arrays within it.
	JSON Kind = "json"
)

// Reader returns the call by which a model reads a part of the kept result, for
// the arguments besides the handle, such as `"offset":300`; empty where that
// call would give nothing. It is shown in notices, so it must be a call that
// the model can make, and that was tried.
type Reader func(arguments string) string

// Result is what a tool answered.
type Result struct {
	// Content are the blocks of the answer.
	Content []json.RawMessage
	// Structured is its structuredContent, Meta its _meta; they may be nil.
	Structured, Meta json.RawMessage
}

// Options say how a result is cut.
type Options struct {
	// Chars is the most characters of all but images and audio; Media the most
	// of their data (base64), all of them together. 0 is no limit.
	Chars, Media int
	// Read says how to read on; nil where nothing is kept.
	Read Reader
	// Pass says how to pass the result on unread; it ends the note where there is
	// a way to read on.
	Pass string
	// Valid reports whether structured content is what the client was promised.
	// nil: the client knows no schema, so that a result which is cut becomes
	// text, where the note is read.
	Valid func(structured json.RawMessage) bool
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
	// Invalid: no part of the structured content would have been what the client
	// was promised, and so it has none.
	Invalid bool
}

// Bounds of a cut result.
const (
	// noteRoom is how much of the limit is kept for the note.
	noteRoom = 320
	// maxParts is how many parts of a result are shown. Text blocks are joined
	// where there are more.
	maxParts = 100
)

// Document is the text that a handle stands for.
type Document struct {
	// Text is that of a result's parts, with a line feed between two.
	// Structured content is the last, unless the texts say the same.
	Text string
	// From and To bound the JSON in Text in which paths are followed, in bytes:
	// the longest text that is JSON, or else the structured content. They are
	// equal where there is none.
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

// Fits reports whether a result has at most what the limits allow.
func Fits(r Result, o Options) bool {
	return (o.Chars <= 0 || r.length() <= o.Chars) && (o.Media <= 0 || r.mediaLength() <= o.Media)
}

// Shape cuts a result to the limits, the one note included; one that fits
// ([Fits]) stays as it came. Short parts stay whole, and the long ones share
// what these leave; what there is no room for is left out. With a limit shorter
// than the note the note comes on top, but nothing ever becomes longer than it
// was.
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

// shaper cuts the parts of one result.
type shaper struct {
	Options
	parts  []part
	shares []int
	// next is the part at which the work is; media the data of images and audio
	// that were put out.
	next, media int
	out         Shaped
	// note says what was left out first, and how to go on; placed when it stands in
	// a text. first is what it begins with, by which its text is known.
	note, first string
	placed      bool
	// lost says what cannot be read on; it stands where there is no other note.
	lost string
}

// divide divides the limit among the parts: those that need less than their
// equal part leave the rest to the others.
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
			needs[i] = 0 // the texts are the other form of it
		}
	}
	limit := s.Chars
	if !long {
		s.shares = needs // only media are too long
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

// block puts out a block, cut to its share.
func (s *shaper) block(i int, raw json.RawMessage) {
	if s.next == len(s.parts) || s.parts[s.next].block != i {
		s.medium(raw)
		return
	}
	p, share := s.parts[s.next], s.shares[s.next]
	s.next++
	// What stands beside the text counts.
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

// medium puts out an image or audio whole, or says that it is too long.
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

// leaveOut counts a part that is not shown.
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

// onward says how to read on, by the first way that works.
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

// withNote returns a text that was cut, with the note of the result in the
// first one, and a mark in the others.
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

// addNote adds the note as a block where it stands in no text.
func (s *shaper) addNote() {
	if note := cmp.Or(s.note, s.lost); note != "" && !s.placed {
		s.out.Content = append(s.out.Content, textBlock(note))
	}
}

// cutting is one text that was cut: what is left before and behind the note.
type cutting struct {
	head, note, tail string
	kind             Kind
	omitted          int
}

// cutBlock cuts one text.
func (s *shaper) cutBlock(p part, limit int) cutting {
	if c, ok := cutJSON(p, limit, s.Read); ok {
		return c
	}
	return cutText(p, limit, s.Read)
}

// cutText keeps two thirds of limit from the head of a text and one third from
// its tail: what a tool says comes first, and what went wrong comes last.
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

func quote(text string) json.RawMessage {
	// A string always encodes.
	encoded, err := encode(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return encoded
}

// encode writes a value with <, > and & as they are: HTML is not to become longer
// than it was.
func encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}
