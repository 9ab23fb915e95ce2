package router

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Bounds on a signature, which is meant to be read at a glance.
const (
	maxSignatureParameters = 12
	maxEnumValues          = 4
)

// noArguments is the signature of a tool that takes none.
const noArguments = "(no arguments)"

// Signature returns a tool's parameters in one line, such as
// `(path: string, head?: number)`; a ? marks an optional one.
func (t *Tool) Signature() string {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   json.RawMessage `json:"required"`
	}
	if json.Unmarshal(t.Schema, &schema) != nil {
		return "(…)"
	}
	var required []string
	if json.Unmarshal(schema.Required, &required) != nil {
		required = nil // a server's `required` that is no list requires nothing
	}
	properties := members(schema.Properties)
	if len(properties) == 0 {
		return noArguments
	}
	parts := make([]string, 0, len(properties))
	for _, p := range properties[:min(len(properties), maxSignatureParameters)] {
		mark := "?"
		if slices.Contains(required, p.key) {
			mark = ""
		}
		parts = append(parts, p.key+mark+": "+typeName(p.value))
	}
	if len(properties) > maxSignatureParameters {
		parts = append(parts, "…")
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// typeName returns a schema's type in a word.
func typeName(raw json.RawMessage) string {
	var s struct {
		Type  json.RawMessage   `json:"type"`
		Enum  []json.RawMessage `json:"enum"`
		Items json.RawMessage   `json:"items"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return "any"
	}
	if len(s.Enum) > 0 && len(s.Enum) <= maxEnumValues {
		values := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			values[i] = string(v)
		}
		return strings.Join(values, "|")
	}
	name := ijson.Text(s.Type)
	var several []string
	switch {
	case name == "array" && len(s.Items) > 0:
		return typeName(s.Items) + "[]"
	case name != "":
		return name
	case json.Unmarshal(s.Type, &several) == nil && len(several) > 0:
		return strings.Join(several, "|")
	}
	return "any"
}
