package ijson

import (
	"bytes"
	"encoding/json"
)

// Encode encodes a value on one line without escapes for HTML. The members of a map are
// sorted.
func Encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Edit returns an object with changed members, sorted. The other values keep their bytes.
// Anything but an object is returned as it is, and so is one whose new members are not
// JSON.
func Edit(object json.RawMessage, change func(members map[string]json.RawMessage)) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		return object
	}
	change(members)
	edited, err := Encode(members)
	if err != nil {
		return object
	}
	return edited
}
