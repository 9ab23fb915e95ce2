package results

import (
	"bytes"
	"encoding/json"
)

// Canonical returns JSON without blanks and with the members of each object in
// order, so that equal arguments are equal strings; numbers stay as they are
// written. What is no JSON stays as it is.
func Canonical(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return string(raw)
	}
	// What was decoded encodes again; maps are written in the order of keys.
	canonical, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(canonical)
}
