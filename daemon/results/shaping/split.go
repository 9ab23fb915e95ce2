package shaping

import (
	"bytes"
	"encoding/json"
)

// pair is a member of a JSON object, unmodified.
type pair struct{ key, value []byte }

// items returns the items of a valid JSON array.
func items(raw []byte) [][]byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var found [][]byte
	_, _ = dec.Token() // the bracket; the text is valid
	for dec.More() {
		var item json.RawMessage
		if dec.Decode(&item) != nil {
			return found
		}
		found = append(found, item)
	}
	return found
}

// pairs returns the members of a valid JSON object in order.
func pairs(raw []byte) []pair {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var found []pair
	_, _ = dec.Token()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return found
		}
		name, _ := key.(string)
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return found
		}
		found = append(found, pair{quote(name), value})
	}
	return found
}
