package hiddentext

import (
	"bytes"
	"errors"
	"slices"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// ErrName reports hidden text where it cannot be removed: in a name, or in a value that a
// call has to repeat.
var ErrName = errors.New("it hides text in a name, or in a value that has to be repeated exactly")

// Descriptions applies [Text] to the strings of a server's description of itself (a tool,
// a resource, a prompt) or of an elicitation. It excludes the names of members, and
// values that address the server or that a call repeats, such as name, uri and enum;
// [ErrName] means that these contain hidden text. raw must be I-JSON, and is returned
// itself if nothing is hidden.
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

// Contents applies [Content] to every string of a result, including the names of members,
// which may become duplicates. raw must be I-JSON, and is returned itself if nothing is
// hidden.
func Contents(raw []byte) ([]byte, Found) {
	var found Found
	return mapStrings(raw, func(s string, _ bool) string {
		text, hidden := Content(s)
		found.add(hidden)
		return text
	}), found
}

// exactMembers returns the members whose values are compared or called, not read, in
// MCP's objects and JSON Schema.
func exactMembers() []string {
	return []string{
		"name", "uri", "uriTemplate", "mimeType", "nextCursor", "blob", "data",
		"enum", "const", "default", "pattern", "required", "dependentRequired", "$ref", "$id", "$anchor", "format",
	}
}

// nameMembers returns the members whose objects have keys chosen by the server, not by a
// specification: a parameter may be called "pattern".
func nameMembers() []string {
	return []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired"}
}

// exactAt reports whether a value at a position is compared or called, not read.
func exactAt(open []ijson.Level) bool {
	named := false // the present level's members are named by the server
	for i, level := range open {
		keyword := level.Object && !named
		if keyword && slices.Contains(exactMembers(), level.Member) {
			return true
		}
		named = i+1 < len(open) && open[i+1].Object && keyword && slices.Contains(nameMembers(), level.Member)
	}
	return false
}

// mapStrings changes the strings of a JSON text, and no other byte. It calls change only
// for strings that may contain hidden text. exact is set for the names of members and for
// the values of exactMembers.
func mapStrings(raw []byte, change func(s string, exact bool) string) []byte {
	if !suspicious(raw) {
		return raw
	}
	return ijson.MapAll(raw, func(open []ijson.Level, name bool, s string) string {
		if plain(s) {
			return s
		}
		return change(s, name || exactAt(open))
	})
}

// suspicious reports whether a JSON text can contain hidden text: a non-ASCII character,
// or an escape that may stand for one.
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
