package evaluate

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/ranker"
)

// maxSchemaDepth limits the nesting of properties that are read.
const maxSchemaDepth = 6

// schema holds what parameters are read from.
type schema struct {
	Description any                        `json:"description"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Items       json.RawMessage            `json:"items"`
	Required    any                        `json:"required"`
}

// requires reports whether a property is required.
func (s *schema) requires(name string) bool {
	list, _ := s.Required.([]any)
	return slices.Contains(list, any(name))
}

// Parameters lists the properties of an input schema by name, nested ones after their
// parent. An invalid schema has none.
func Parameters(raw json.RawMessage) []ranker.Parameter {
	return appendParameters(nil, raw, 0, true)
}

// appendParameters appends the properties of a schema; required reports that the schema's
// own value is required.
func appendParameters(list []ranker.Parameter, raw json.RawMessage, depth int, required bool) []ranker.Parameter {
	var s schema
	if depth > maxSchemaDepth || len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		var property schema
		if json.Unmarshal(s.Properties[name], &property) != nil {
			property = schema{}
		}
		description, _ := property.Description.(string)
		required := required && s.requires(name)
		list = append(list, ranker.Parameter{Name: name, Description: description, Required: required})
		list = appendParameters(list, s.Properties[name], depth+1, required)
	}
	return appendParameters(list, s.Items, depth+1, false)
}
