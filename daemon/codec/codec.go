// Package codec encodes and decodes JSON for package protocol: keys are case-sensitive,
// unknown keys are accepted, duplicate keys and invalid UTF-8 are refused, nil slices are
// [], and nothing is escaped for HTML.
//
// It is for Winnow's own types and for arguments by models. Use json.RawMessage for
// others' JSON that must keep its bytes.
package codec

import (
	stdjson "encoding/json"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// Marshal encodes a value of Winnow's own types. Invalid UTF-8 becomes U+FFFD. The value
// must not contain others' JSON. It panics if the value cannot be encoded, such as a
// channel.
func Marshal(v any) stdjson.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		raw, err = stdjson.Marshal(v)
	}
	if err != nil {
		panic("codec: marshal " + fmt.Sprintf("%T", v) + ": " + err.Error())
	}
	return raw
}

// Write writes a value of Winnow's own types as indented JSON, for people and scripts.
func Write(w io.Writer, v any) error {
	encoder := stdjson.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// Unmarshal decodes raw over what v points to. Empty raw is read as an empty object.
func Unmarshal(raw stdjson.RawMessage, v any) error {
	if len(raw) == 0 {
		raw = stdjson.RawMessage("{}")
	}
	return json.Unmarshal(raw, v)
}
