package router

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/ranker"
)

// Bounds on what is read of one schema for ranking. The largest known schemas hold about
// a hundred properties at a depth of 22. Deeper ones say little about a tool's purpose.
const (
	maxParameters     = 200
	maxParameterDepth = 6
)

// readSchema returns a schema's type, or "" if it has none or several, and its properties
// in declaration order. Nested properties follow their parent; those of items, anyOf,
// oneOf and allOf follow a node's own. What cannot be read is skipped.
//
// It scans the text once and copies only what it returns, because schemas are most of the
// work at a start with known servers.
func readSchema(schema json.RawMessage) (kind string, found []ranker.Parameter) {
	r := newTextReader(schema)
	n := r.node(0)
	found = n.parameters()
	if len(found) > maxParameters {
		found = slices.Clone(found[:maxParameters])
	}
	return n.kind, found
}

// schemaNode is what was read of one schema.
type schemaNode struct {
	kind, description string
	// properties are the node's own, each followed by its nested ones. own holds the
	// indexes at which the own ones begin, and required the names of the required ones.
	// The other lists hold the properties of its items, anyOf, oneOf and allOf.
	properties                 []ranker.Parameter
	own                        []int
	required                   []string
	items, anyOf, oneOf, allOf []ranker.Parameter
}

func (n *schemaNode) parameters() []ranker.Parameter {
	return slices.Concat(n.properties, n.items, n.anyOf, n.oneOf, n.allOf)
}

// require marks the node's own properties that its schema requires. Nested properties are
// not marked.
func (n *schemaNode) require() {
	for i, from := range n.own {
		to := len(n.properties)
		if i+1 < len(n.own) {
			to = n.own[i+1]
		}
		if slices.Contains(n.required, n.properties[from].Name) {
			n.properties[from].Required = true
			continue
		}
		unrequire(n.properties[from:to])
	}
}

func unrequire(list []ranker.Parameter) {
	for i := range list {
		list[i].Required = false
	}
}

// textReader reads a JSON text from beginning to end.
type textReader struct {
	dec *jsontext.Decoder
	// err is the first error; after it nothing more is read.
	err error
}

func newTextReader(text json.RawMessage) *textReader {
	return &textReader{dec: jsontext.NewDecoder(bytes.NewBuffer(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// node reads a schema at a depth. Beyond the maximum depth only its description, a
// property's, is read.
func (r *textReader) node(depth int) (n schemaNode) {
	if !r.enter('{') {
		return n
	}
	for r.more('}') {
		key := string(r.value())
		if depth > maxParameterDepth && key != `"description"` {
			r.value()
			continue
		}
		switch key {
		case `"type"`:
			n.kind = ijson.Text(json.RawMessage(r.value()))
		case `"description"`:
			n.description = ijson.Text(json.RawMessage(r.value()))
		case `"properties"`:
			n.properties, n.own = r.properties(depth)
		case `"required"`:
			n.required = r.strings()
		case `"items"`:
			n.items = r.part(depth)
		case `"anyOf"`:
			n.anyOf = r.parts(depth)
		case `"oneOf"`:
			n.oneOf = r.parts(depth)
		case `"allOf"`:
			n.allOf = r.parts(depth)
		default:
			r.value()
		}
	}
	n.require()
	return n
}

// properties reads the object of a schema's properties. own holds the indexes at which
// each begins.
func (r *textReader) properties(depth int) (found []ranker.Parameter, own []int) {
	if !r.enter('{') {
		return nil, nil
	}
	for r.more('}') {
		name := ijson.Text(json.RawMessage(r.value()))
		n := r.node(depth + 1)
		own = append(own, len(found))
		found = append(found, ranker.Parameter{Name: name, Description: n.description})
		found = append(found, n.parameters()...)
	}
	return found, own
}

// strings reads the first maxParameters strings of a list.
func (r *textReader) strings() (list []string) {
	if !r.enter('[') {
		return nil
	}
	for r.more(']') {
		if s := ijson.Text(json.RawMessage(r.value())); len(list) < maxParameters {
			list = append(list, s)
		}
	}
	return list
}

// parts reads a list of schemas.
func (r *textReader) parts(depth int) (found []ranker.Parameter) {
	if !r.enter('[') {
		return nil
	}
	for r.more(']') {
		found = append(found, r.part(depth)...)
	}
	return found
}

func (r *textReader) part(depth int) []ranker.Parameter {
	n := r.node(depth + 1)
	found := n.parameters()
	unrequire(found)
	return found
}

// enter enters an object or a list. It skips a value of another kind and returns false.
func (r *textReader) enter(kind jsontext.Kind) bool {
	if r.err != nil || r.dec.PeekKind() != kind {
		r.value()
		return false
	}
	_, r.err = r.dec.ReadToken()
	return r.err == nil
}

// more reports whether another value follows. If none does, it reads the end token.
func (r *textReader) more(end jsontext.Kind) bool {
	if r.err != nil {
		return false
	}
	if r.dec.PeekKind() != end {
		return true
	}
	_, r.err = r.dec.ReadToken()
	return false
}

// value returns the text of the next value, valid until the next call, or nil if there is
// none.
func (r *textReader) value() []byte {
	if r.err != nil {
		return nil
	}
	var text []byte
	text, r.err = r.dec.ReadValue()
	return text
}

// member is one member of a JSON object.
type member struct {
	key   string
	value json.RawMessage
}

// members returns the members of an object in their order, or nil if raw is not an
// object.
func members(raw json.RawMessage) []member {
	if !isObject(raw) {
		return nil
	}
	var list []member
	// If the object is broken, the members before the error are kept.
	_ = ijson.Each(raw, func(name []byte, value json.RawMessage) {
		list = append(list, member{string(name), value})
	})
	return list
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}
