package ijson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNoObject is returned for JSON that is not one object.
var ErrNoObject = errors.New("it is not one JSON object")

// Each calls found for each member of an object, in their order, with its name,
// escapes resolved, and its value, a part of raw. The name is good during the
// call. Members may repeat; callers take the last one, as JavaScript does. null
// has no members. After an error the members before it have been told.
func Each(raw json.RawMessage, found func(name []byte, value json.RawMessage)) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	switch token, err := dec.ReadToken(); {
	case err != nil:
		return err
	case token.Kind() == 'n':
		return ended(dec)
	case token.Kind() != '{':
		return ErrNoObject
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadValue()
		if err != nil {
			return err
		}
		// The decoder reuses what it returns.
		from := dec.InputOffset()
		name = jsontext.Value(raw[from-int64(len(name)) : from])
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		end := dec.InputOffset()
		found(plain(name), raw[end-int64(len(value)):end:end])
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	return ended(dec)
}

// LastMember returns the last member of a name; nil where there is none, or no
// object.
func LastMember(raw json.RawMessage, name string) json.RawMessage {
	var member json.RawMessage
	err := Each(raw, func(found []byte, value json.RawMessage) {
		if string(found) == name {
			member = value
		}
	})
	if err != nil {
		return nil
	}
	return member
}

// ended fails where something follows the value.
func ended(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return ErrNoObject
	}
	return nil
}

// plain returns what a quoted name says.
func plain(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	// It fails for what is no UTF-8, which it replaces.
	name, _ := jsontext.AppendUnquote(nil, quoted)
	return name
}

// Text returns what a JSON string says; empty for anything else.
func Text(raw json.RawMessage) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	// It fails for what is no UTF-8, which it replaces.
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}

// AppendQuote appends a text as a JSON string, as by JSON.stringify: nothing is escaped for
// HTML. Invalid UTF-8 becomes U+FFFD.
func AppendQuote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // the error tells of invalid UTF-8
	return dst
}
