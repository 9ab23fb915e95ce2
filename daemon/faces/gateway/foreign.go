package gateway

import (
	"encoding/json"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// normalize replaces parts of a message by I-JSON. Empty parts stay empty.
func normalize(parts ...*json.RawMessage) error {
	for _, part := range parts {
		if len(*part) == 0 {
			continue
		}
		text, err := ijson.Normalize(*part)
		if err != nil {
			return err
		}
		*part = text
	}
	return nil
}
