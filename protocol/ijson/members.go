package ijson

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Members returns the names and the values of the members of an object, in
// their order and as they are written. It follows strings and brackets only, so
// that it also finds the members of an object that is no JSON somewhere within
// them: `{"id":1,"result":{"x":NaN}}` has an id. It ends where the text cannot
// be followed, and has nothing for what is no object.
func Members(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(name string, value []byte) bool) {
		for m := range spans(text) {
			if !yield(m.name, text[m.start:m.end]) {
				return
			}
		}
	}
}

// IsObject reports whether a text is one JSON object.
func IsObject(text []byte) bool {
	return json.Valid(text) && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
}

// Member returns the value of the first member of that name; nil when there is
// none.
func Member(text []byte, name string) []byte {
	for n, value := range Members(text) {
		if n == name {
			return value
		}
	}
	return nil
}

// ReplaceString returns the object with another text in the place of a member's
// own. It returns the object itself when that member is missing, or is no
// string; every other byte stays as it is.
func ReplaceString(object []byte, name string, change func(string) string) []byte {
	for m := range spans(object) {
		if m.name != name {
			continue
		}
		var text string
		if json.Unmarshal(object[m.start:m.end], &text) != nil {
			return object
		}
		quoted, err := json.Marshal(change(text))
		if err != nil {
			return object
		}
		return bytes.Join([][]byte{object[:m.start], quoted, object[m.end:]}, nil)
	}
	return object
}

// span is where the value of a member stands.
type span struct {
	name       string
	start, end int
}

// spans finds the members of an object.
func spans(text []byte) iter.Seq[span] {
	return func(yield func(span) bool) {
		i := skipSpace(text, 0)
		if i == len(text) || text[i] != '{' {
			return
		}
		for i = skipSpace(text, i+1); i < len(text) && text[i] == '"'; i = skipSpace(text, i+1) {
			nameEnd := stringEnd(text, i)
			name := text[i:nameEnd]
			i = skipSpace(text, nameEnd)
			if i == len(text) || text[i] != ':' {
				return
			}
			start := skipSpace(text, i+1)
			i = valueEnd(text, start)
			end := start + len(bytes.TrimRight(text[start:i], " \t\r\n"))
			cut := i == len(text)
			if end == start || cut && bytes.IndexByte([]byte(`{["`), text[start]) < 0 {
				return
			}
			said, _ := unquote(name) // a name that cannot be read is none
			if !yield(span{said, start, end}) || cut || text[i] != ',' {
				return
			}
		}
	}
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// valueEnd returns the index of the comma or bracket behind the value that
// begins at i, or that of the end of the text.
func valueEnd(text []byte, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// unquote returns what a string says, and whether it can be read; few have
// escapes.
func unquote(quoted []byte) (plain string, ok bool) {
	if n := len(quoted) - 1; n > 0 && quoted[n] == '"' && bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:n]), true
	}
	return plain, json.Unmarshal(quoted, &plain) == nil
}
