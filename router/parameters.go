package router

import (
	"bytes"
	"encoding/json"

	"github.com/winnow-mcp/winnow/ranker"
)

// Bounds on what is read of one schema for ranking. The largest schemas in the
// wild hold some hundred properties at a depth of 22; what lies deeper says
// little about what the tool is for.
const (
	maxParameters     = 200
	maxParameterDepth = 6
)

// parameters returns the properties of a schema in the order in which they are
// declared, nested ones after their parent. What cannot be read is passed over.
func parameters(schema schemaNode) []ranker.Parameter {
	w := parameterWalk{}
	w.within(schema, 0)
	return w.found
}

// schemaNode is what ranking reads of a schema. Its members stay raw, so that
// one of an unexpected type spoils nothing but itself.
type schemaNode struct {
	Type        json.RawMessage   `json:"type"`
	Description json.RawMessage   `json:"description"`
	Properties  json.RawMessage   `json:"properties"`
	Items       json.RawMessage   `json:"items"`
	AnyOf       []json.RawMessage `json:"anyOf"`
	OneOf       []json.RawMessage `json:"oneOf"`
	AllOf       []json.RawMessage `json:"allOf"`
}

func readSchema(raw json.RawMessage) schemaNode {
	var node schemaNode
	if isObject(raw) {
		// A member of an unexpected type leaves its field empty, which is right.
		_ = json.Unmarshal(raw, &node)
	}
	return node
}

// describesObject reports whether a schema may be that of arguments, which are
// an object. A provider refuses the whole request for one of another type.
func (n schemaNode) describesObject() bool {
	kind := asString(n.Type)
	return kind == "" || kind == "object"
}

// parameterWalk collects the properties of one schema.
type parameterWalk struct {
	found []ranker.Parameter
}

// within collects what the parts of a schema declare.
func (w *parameterWalk) within(node schemaNode, depth int) {
	if depth > maxParameterDepth {
		return
	}
	for _, m := range members(node.Properties) {
		if len(w.found) >= maxParameters {
			return
		}
		property := readSchema(m.value)
		w.found = append(w.found, ranker.Parameter{Name: m.key, Description: asString(property.Description)})
		w.within(property, depth+1)
	}
	for _, list := range [][]json.RawMessage{{node.Items}, node.AnyOf, node.OneOf, node.AllOf} {
		for _, part := range list {
			w.within(readSchema(part), depth+1)
		}
	}
}

// member is one member of a JSON object.
type member struct {
	key   string
	value json.RawMessage
}

// members returns the members of an object in their order, which a map would
// lose; nil when raw is no object.
func members(raw json.RawMessage) []member {
	if !isObject(raw) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var list []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return list
		}
		m := member{}
		m.key, _ = key.(string)
		if err := dec.Decode(&m.value); err != nil {
			return list
		}
		list = append(list, m)
	}
	return list
}
