package config

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonDoc is a JSON text, comments and trailing commas allowed.
type jsonDoc struct {
	data  []byte
	root  hujson.Value
	lines *lineIndex
}

// parseJSON parses data, which is UTF-8 without a byte order mark.
func parseJSON(data []byte) (*jsonDoc, *syntaxError) {
	lines := newLineIndex(data)
	if offset := jsonTooDeep(data); offset >= 0 {
		return nil, tooDeep(lines.at(offset))
	}
	// hujson wants a newline after a line comment, also after the last one.
	root, err := hujson.Parse(append(bytes.Clone(data), '\n'))
	if err != nil {
		return nil, jsonSyntaxError(err, lines)
	}
	return &jsonDoc{data: data, root: root, lines: lines}, nil
}

// jsonTooDeep returns the offset of the bracket that opens one level too many,
// or -1. It need not be exact on invalid text, which the parser refuses later.
func jsonTooDeep(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
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

// jsonSyntaxError translates hujson's error. Its position is only in its text.
func jsonSyntaxError(err error, lines *lineIndex) *syntaxError {
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
	return &syntaxError{lines.at(offset), "invalid JSON: " + withoutLiteral(cause), jsonHint(cause)}
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

// position returns where p is.
func (d *jsonDoc) position(p place) position { return d.lines.at(p.offset) }

// nonStandard returns the place of the first comment or trailing comma.
func (d *jsonDoc) nonStandard() (place, bool) {
	if d.root.IsStandard() {
		return place{}, false
	}
	// Standardize keeps offsets: what it changes is what it blanks out.
	standard := d.root.Clone()
	standard.Standardize()
	for i, c := range standard.Pack() {
		if i >= len(d.data) || d.data[i] != c {
			return place{offset: i}, true
		}
	}
	return place{}, false
}

// find returns the value at the end of a path of keys, or nil.
func (d *jsonDoc) find(path ...string) *hujson.Value {
	v := &d.root
	for _, key := range path {
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		m := lastMember(object, key)
		if m == nil {
			return nil
		}
		v = &m.Value
	}
	return v
}

// lastMember returns the last member called key, the one that counts, or nil.
func lastMember(object *hujson.Object, key string) *hujson.ObjectMember {
	for i := len(object.Members) - 1; i >= 0; i-- {
		if nameOf(object.Members[i]) == key {
			return &object.Members[i]
		}
	}
	return nil
}

// nameOf returns the name of a member, unescaped.
func nameOf(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal) // the parser lets nothing else be a name
	return name.String()
}

// rootNode copies the outermost value. Of the keys that are not wanted it only
// notes that they are there: ~/.claude.json holds megabytes of other things.
func (d *jsonDoc) rootNode(wanted func(key string) bool) node {
	object, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return jsonNode(d.root)
	}
	n := node{kind: kindObject, at: place{offset: d.root.StartOffset}}
	for _, m := range object.Members {
		key, value := nameOf(m), node{}
		if wanted(key) {
			value = jsonNode(m.Value)
		}
		n.members = append(n.members, member{key, place{offset: m.Name.StartOffset}, value})
	}
	return n
}

// jsonNode copies v into the common form.
func jsonNode(v hujson.Value) node {
	n := node{at: place{offset: v.StartOffset}}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.kind = kindObject
		for _, m := range value.Members {
			n.members = append(n.members, member{nameOf(m), place{offset: m.Name.StartOffset}, jsonNode(m.Value)})
		}
	case *hujson.Array:
		n.kind = kindList
		for _, e := range value.Elements {
			n.items = append(n.items, jsonNode(e))
		}
	case hujson.Literal:
		n.kind, n.text = literalKind(value), value.String()
	}
	return n
}

func literalKind(l hujson.Literal) kind {
	switch l.Kind() {
	case 'n':
		return kindNull
	case 't', 'f':
		return kindBool
	case '"':
		return kindString
	default:
		return kindNumber
	}
}
