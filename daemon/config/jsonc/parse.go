package jsonc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Document is a JSON text, comments and trailing commas allowed.
type Document struct {
	Data  []byte
	Root  hujson.Value
	Lines *Lines
}

// SyntaxError is why a text is not a document.
type SyntaxError struct {
	Position      Position
	Message, Hint string
}

// Error lets a SyntaxError pass through functions that return an error.
func (e *SyntaxError) Error() string { return e.Message }

// TooDeep says where a text passes the limit on nesting.
func TooDeep(at Position) *SyntaxError {
	return &SyntaxError{at, fmt.Sprintf("the file is nested more than %d levels deep", MaxDepth), "remove the nesting; a configuration needs about six levels"}
}

// MaxDepth bounds nesting, because the parsers recurse and Go cannot recover
// from a stack that is used up.
const MaxDepth = 100

// WithoutBOM takes the UTF-8 byte order mark away that Windows editors write.
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

// Parse parses data, which has no byte order mark.
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
	// hujson wants a newline after a line comment, also after the last one.
	root, err := hujson.Parse(append(bytes.Clone(data), '\n'))
	if err != nil {
		return nil, syntaxError(err, lines)
	}
	return &Document{Data: data, Root: root, Lines: lines}, nil
}

// Alone returns the text of a value as standard JSON, with blanks for what is
// before it in the document, so that lines and columns are the same.
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

// tooDeepAt returns the offset of the bracket that opens one level too many,
// or -1. It need not be exact on invalid text, which the parser refuses later.
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

// endOfComment returns the offset of the last byte of the comment at i, or i
// when there is none.
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

// syntaxError translates hujson's error. Its position is only in its text.
func syntaxError(err error, lines *Lines) *SyntaxError {
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
		line, column = 1, 1
	}
	// A text that ends too early ends where its last word does.
	offset := len(bytes.TrimRight(lines.data, " \t\r\n"))
	if line <= len(lines.starts) {
		offset = min(offset, lines.starts[line-1]+column-1)
	}
	_, cause, _ := strings.Cut(err.Error(), "column ")
	_, cause, _ = strings.Cut(cause, ": ")
	return &SyntaxError{lines.At(offset), "invalid JSON: " + withoutLiteral(cause), jsonHint(cause)}
}

// withoutLiteral drops the value that hujson quotes: it can be a secret.
func withoutLiteral(cause string) string {
	if strings.HasPrefix(cause, "invalid literal") {
		return "this value is not valid"
	}
	return cause
}

// jsonHint guesses what the user meant from hujson's words.
func jsonHint(cause string) string {
	switch {
	case strings.Contains(cause, "unexpected EOF"):
		return "the file ends too early: close what is still open, a }, ], quote or comment"
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

// LastMember returns the last member called key, the one that counts, or nil.
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
