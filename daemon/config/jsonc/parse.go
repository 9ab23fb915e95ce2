package jsonc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Document is a JSON text that may contain comments and trailing commas.
type Document struct {
	Data  []byte
	Root  hujson.Value
	Lines *Lines
}

// SyntaxError says why a text cannot be parsed.
type SyntaxError struct {
	Position      Position
	Message, Hint string
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.Message }

// TooDeep returns the error for a text that exceeds the limit on nesting.
func TooDeep(at Position) *SyntaxError {
	return &SyntaxError{at, fmt.Sprintf("the file is nested more than %d levels deep", MaxDepth), "remove the nesting; a configuration needs about six levels"}
}

// MaxDepth limits nesting, because the parsers recurse and Go cannot recover from stack
// exhaustion.
const MaxDepth = 100

// WithoutBOM removes the UTF-8 byte order mark of Windows editors.
func WithoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// InvalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func InvalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// Parse parses data, which must not have a byte order mark.
func Parse(data []byte) (*Document, *SyntaxError) {
	lines := NewLines(data)
	if offset := InvalidUTF8(data); offset >= 0 {
		return nil, &SyntaxError{
			Position: lines.At(offset), Message: "the file is not valid UTF-8", Hint: "save it with the encoding UTF-8",
		}
	}
	if offset := tooDeepAt(data); offset >= 0 {
		return nil, TooDeep(lines.At(offset))
	}
	// hujson requires a newline after a line comment, including the last one.
	root, err := hujson.Parse(append(bytes.Clone(data), '\n'))
	if err != nil {
		return nil, syntaxError(err, lines)
	}
	return &Document{Data: data, Root: root, Lines: lines}, nil
}

// Alone returns the text of a value as standard JSON, preceded by blanks so that lines
// and columns match the document.
func (d *Document) Alone(v hujson.Value) []byte {
	text := bytes.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, d.Data[:v.StartOffset])
	value := v.Clone()
	value.BeforeExtra, value.AfterExtra = nil, nil
	value.Standardize()
	return append(text, value.Pack()...)
}

// tooDeepAt returns the offset of the bracket that exceeds the limit, or -1. It may be
// inexact on invalid text, which the parser refuses later.
func tooDeepAt(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			if depth++; depth > MaxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			i = endOfString(data, i)
		case '/':
			i = endOfComment(data, i)
		}
	}
	return -1
}

// endOfString returns the offset of the quote that ends the string at i.
func endOfString(data []byte, i int) int {
	for i++; i < len(data) && data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}

// endOfComment returns the offset of the last byte of the comment at i, or i if there is
// none.
func endOfComment(data []byte, i int) int {
	var end string
	switch rest := data[i:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		end = "\n"
	case bytes.HasPrefix(rest, []byte("/*")):
		end = "*/"
	default:
		return i
	}
	if n := bytes.Index(data[i+2:], []byte(end)); n >= 0 {
		return i + 2 + n + len(end) - 1
	}
	return len(data)
}

// syntaxError converts hujson's error, whose position is only in its text.
func syntaxError(err error, lines *Lines) *SyntaxError {
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
		line, column = 1, 1
	}
	// The error in a truncated text is at its last word.
	offset := len(bytes.TrimRight(lines.data, " \t\r\n"))
	if line <= len(lines.starts) {
		offset = min(offset, lines.starts[line-1]+column-1)
	}
	_, cause, _ := strings.Cut(err.Error(), "column ")
	_, cause, _ = strings.Cut(cause, ": ")
	if errors.Is(err, io.ErrUnexpectedEOF) {
		message, hint := unclosed(lines)
		return &SyntaxError{lines.At(offset), "invalid JSON: " + message, hint}
	}
	return &SyntaxError{lines.At(offset), "invalid JSON: " + jsonMessage(cause), jsonHint(cause)}
}

// unclosed says what is open at the end of a text that ends too early, and how to close it.
func unclosed(lines *Lines) (message, hint string) {
	data := lines.data
	var open []int // the offsets of brackets
	beginsAt := func(what string, i int, end string) (string, string) {
		return fmt.Sprintf("the %s of line %d is not closed", what, lines.At(i).Line), "close it with " + end
	}
	for i := 0; i < len(data); i++ {
		from := i
		switch data[i] {
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		case '"':
			if i = endOfString(data, i); i >= len(data) {
				return beginsAt("string", from, `"`)
			}
		case '/':
			if i = endOfComment(data, i); i >= len(data) && data[from+1] == '*' {
				return beginsAt("comment", from, "*/")
			}
		}
	}
	if len(open) == 0 {
		return "the file ends where a value is missing", jsonHint("")
	}
	last := open[len(open)-1]
	end := map[byte]string{'{': "}", '[': "]"}[data[last]]
	message, hint = beginsAt(string(data[last]), last, end)
	return message, hint + ", or first what is open within it"
}

// jsonMessage words hujson's message, without the value that it quotes, which can be a
// secret.
func jsonMessage(cause string) string {
	if rest, ok := strings.CutPrefix(cause, "invalid character "); ok {
		if what, err := strconv.QuotedPrefix(rest); err == nil {
			return what + " is not allowed here"
		}
	}
	return "this value is not valid"
}

// jsonHint returns a hint for hujson's message.
func jsonHint(cause string) string {
	switch {
	case strings.Contains(cause, "invalid literal"):
		return "check quotes, escapes (\\ is written \\\\) and line breaks inside strings; only true, false, null and numbers go without quotes"
	case strings.Contains(cause, "after object value"), strings.Contains(cause, "after array value"):
		return "a comma is probably missing before this"
	case strings.Contains(cause, `'\''`), strings.Contains(cause, "“"), strings.Contains(cause, "”"):
		return `use straight double quotes: "`
	case strings.Contains(cause, "object name"):
		return `a name in double quotes, followed by a colon, goes here`
	case strings.Contains(cause, "after top-level value"):
		return "the outer { } is closed before this; move this inside or remove it"
	default:
		return "a string, number, list, object, true, false or null goes here"
	}
}

// Find returns the value at the end of a path of keys, or nil.
func (d *Document) Find(path ...string) *hujson.Value {
	v := &d.Root
	for _, key := range path {
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		m := LastMember(object, key)
		if m == nil {
			return nil
		}
		v = &m.Value
	}
	return v
}

// LastMember returns the last member with a key, the one in effect, or nil.
func LastMember(object *hujson.Object, key string) *hujson.ObjectMember {
	for i := len(object.Members) - 1; i >= 0; i-- {
		if NameOf(object.Members[i]) == key {
			return &object.Members[i]
		}
	}
	return nil
}

// NameOf returns the name of a member, unescaped.
func NameOf(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal) // the parser lets nothing else be a name
	return name.String()
}
