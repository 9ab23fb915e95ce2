package hiddentext

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// ErrName says that text is hidden where it cannot be taken out: in a name, or
// in a value that a call has to repeat.
var ErrName = errors.New("it hides text in a name, or in a value that has to be repeated exactly")

// Descriptions applies [Text] to the strings of what a server lists of itself
// (a tool, a resource, a prompt) or asks (an elicitation): to every one but the
// names of members and those by which the server is addressed or which a call
// repeats, such as name, uri and enum. [ErrName] means that those hide text.
// raw is I-JSON, and is returned itself when nothing is hidden.
func Descriptions(raw []byte) ([]byte, Found, error) {
	var found Found
	var err error
	clean := mapStrings(raw, func(s string, exact bool) string {
		if exact {
			if _, hidden := Content(s); hidden.Any() {
				err = ErrName
			}
			return s
		}
		text, hidden := Text(s)
		found.add(hidden)
		return text
	})
	return clean, found, err
}

// Contents applies [Content] to every string of a result, the names of members
// included: two of them may be equal afterwards. raw is I-JSON, and is returned
// itself when nothing is hidden.
func Contents(raw []byte) ([]byte, Found) {
	var found Found
	return mapStrings(raw, func(s string, _ bool) string {
		text, hidden := Content(s)
		found.add(hidden)
		return text
	}), found
}

// exactMembers hold what is compared or called, not read: of MCP's objects and
// of JSON Schema's.
func exactMembers() []string {
	return []string{
		"name", "uri", "uriTemplate", "mimeType", "nextCursor", "blob", "data",
		"enum", "const", "default", "pattern", "required", "dependentRequired", "$ref", "$id", "$anchor", "format",
	}
}

// nameMembers hold objects whose members are named by the server, not by a
// specification: a parameter may be called "pattern".
func nameMembers() []string {
	return []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired"}
}

// level is an object or array that is open.
type level struct {
	object bool
	// named: its members are named by the server. exact: all in it is.
	named, exact bool
	// member is the name of the present member of an object.
	member string
}

// within returns the level of an object or array in l.
func (l level) within(object bool) level {
	return level{object: object, named: object && l.keyword(nameMembers()), exact: l.isExact()}
}

// keyword reports whether the present member is one of a specification's.
func (l level) keyword(names []string) bool {
	return l.object && !l.named && slices.Contains(names, l.member)
}

func (l level) isExact() bool { return l.exact || l.keyword(exactMembers()) }

// mapStrings changes the strings of a JSON text, and no other byte of it. Only
// those are handed to change that can hold something hidden; exact is set for
// the names of members and for the values of exactMembers.
func mapStrings(raw []byte, change func(s string, exact bool) string) []byte {
	if !suspicious(raw) {
		return raw
	}
	var out []byte
	copied := 0
	levels := []level{{}}
	for i := 0; i < len(raw); i++ {
		here := &levels[len(levels)-1]
		switch raw[i] {
		case '{', '[':
			levels = append(levels, here.within(raw[i] == '{'))
		case '}', ']':
			levels = levels[:max(1, len(levels)-1)]
		case '"':
			end := stringEnd(raw, i)
			literal := raw[i:end]
			isName := nextByte(raw, end) == ':'
			if isName {
				here.member = unquote(literal)
			}
			if suspicious(literal) {
				before := unquote(literal)
				if after := change(before, isName || here.isExact()); after != before {
					out = append(append(out, raw[copied:i]...), quote(after)...)
					copied = end
				}
			}
			i = end - 1
		}
	}
	if copied == 0 {
		return raw
	}
	return append(out, raw[copied:]...)
}

// suspicious reports whether a JSON text can hold something hidden: what is not
// ASCII, or is written as an escape that may stand for it.
func suspicious(raw []byte) bool {
	if bytes.ContainsFunc(raw, func(r rune) bool { return r > '\x7e' }) {
		return true
	}
	for _, escape := range []string{`\u`, `\b`, `\f`} {
		if bytes.Contains(raw, []byte(escape)) {
			return true
		}
	}
	return false
}

// stringEnd returns the index behind the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(raw))
}

// nextByte returns the first byte from i on that is no space; 0 at the end.
func nextByte(raw []byte, i int) byte {
	for ; i < len(raw); i++ {
		if !strings.ContainsRune(" \t\r\n", rune(raw[i])) {
			return raw[i]
		}
	}
	return 0
}

func unquote(literal []byte) string {
	var s string
	_ = json.Unmarshal(literal, &s) // I-JSON has no string that cannot be read
	return s
}

func quote(s string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string can be encoded
	return bytes.TrimRight(out.Bytes(), "\n")
}
