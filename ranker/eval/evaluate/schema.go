package evaluate

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/ranker"
)

// maxSchemaDepth bounds the nesting of properties that are read.
const maxSchemaDepth = 6

// schema is what parameters are read from.
type schema struct {
	Description any                        `json:"description"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Items       json.RawMessage            `json:"items"`
}

// Parameters lists the properties of an input schema by name, nested ones
// after the one that holds them. What is no schema has none.
func Parameters(raw json.RawMessage) []ranker.Parameter {
	return appendParameters(nil, raw, 0)
}

func appendParameters(list []ranker.Parameter, raw json.RawMessage, depth int) []ranker.Parameter {
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
		list = append(list, ranker.Parameter{Name: name, Description: description})
		list = appendParameters(list, s.Properties[name], depth+1)
	}
	return appendParameters(list, s.Items, depth+1)
}
