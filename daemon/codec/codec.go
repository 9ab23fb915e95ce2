// Package codec reads and writes JSON as the wire of package protocol has it:
// keys are case-sensitive, unknown ones are accepted, repeated ones and bad
// UTF-8 are refused, nil slices are [], and nothing is escaped for HTML.
//
// It is for values of our own types and for arguments that models write; JSON
// of others that must keep its bytes goes by json.RawMessage. It knows no
// method and no connection.
package codec

import (
	stdjson "encoding/json"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// Marshal encodes a value of our own types, which cannot fail. In texts that
// are not UTF-8, U+FFFD stands for what is not. JSON of others must not be part
// of it. It panics for what cannot be encoded, such as a channel.
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

// Write writes a value of our own types in lines, as people and scripts read it
// at a terminal.
func Write(w io.Writer, v any) error {
	encoder := stdjson.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// Unmarshal decodes raw over what v points to; nothing at all is read as an
// empty object.
func Unmarshal(raw stdjson.RawMessage, v any) error {
	if len(raw) == 0 {
		raw = stdjson.RawMessage("{}")
	}
	return json.Unmarshal(raw, v)
}
