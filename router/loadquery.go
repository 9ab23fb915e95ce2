package router

import (
	"encoding/json"
	"strings"
)

// maxQueryLength bounds in bytes what is read of a query. Models paste whole results into
// it; what they look for is usually in the first lines.
const maxQueryLength = 2000

// schemaWords describe how a schema is written, not what a tool does. They occur in a
// query when a model pastes a tool's definition.
var schemaWords = map[string]bool{
	"type": true, "properties": true, "object": true, "string": true, "number": true, "integer": true,
	"boolean": true, "array": true, "items": true, "required": true, "description": true,
	"inputschema": true, "parameters": true, "$schema": true, "additionalproperties": true,
	"anyof": true, "oneof": true, "allof": true, "enum": true, "default": true, "null": true,
	"true": true, "false": true,
	// The arguments of mcp_load itself, pasted whole.
	"query": true, "names": true, "name": true, "limit": true,
}

// loadQuery returns the words to search for. Of pasted JSON it takes the strings and the
// meaningful keys, if any, and the text after it. Long text is cut.
func loadQuery(raw string) string {
	raw = strings.TrimSpace(raw)
	if strings.HasPrefix(raw, "{") || strings.HasPrefix(raw, "[") {
		raw = jsonWords(raw)
	}
	return cut(raw, maxQueryLength)
}

// jsonWords returns the words of a text that begins as JSON. Text after the valid JSON is
// taken as it is.
func jsonWords(raw string) string {
	dec := json.NewDecoder(strings.NewReader(raw))
	var words []string
	for length := 0; length < maxQueryLength; {
		token, err := dec.Token()
		if err != nil {
			rest := strings.Trim(raw[dec.InputOffset():], "{}[]\",: \n\t")
			return strings.TrimSpace(strings.Join(words, " ") + " " + rest)
		}
		if s, ok := token.(string); ok && !schemaWords[strings.ToLower(s)] {
			words = append(words, s)
			length += len(s)
		}
	}
	return strings.Join(words, " ")
}
