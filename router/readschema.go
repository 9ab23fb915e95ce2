package router

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/ranker"
)

// Bounds on what is read of one schema for ranking. The largest schemas in the
// wild hold some hundred properties at a depth of 22; what lies deeper says
// little about what the tool is for.
const (
	maxParameters     = 200
	maxParameterDepth = 6
)

// readSchema returns the type that a schema names, empty where it names none or
// several, and its properties in the order in which they are declared: nested
// ones after their parent, those of items, anyOf, oneOf and allOf after a
// node's own. What cannot be read is passed over.
//
// It goes over the text once and copies none but what it returns: at a start
// with known servers, reading their schemas is most of the work.
func readSchema(schema json.RawMessage) (kind string, found []ranker.Parameter) {
	r := newTextReader(schema)
	n := r.node(0)
	found = n.parameters()
	if len(found) > maxParameters {
		found = slices.Clone(found[:maxParameters])
	}
	return n.kind, found
}

// schemaNode is what is read of one schema.
type schemaNode struct {
	kind, description string
	// properties are the node's own, each followed by what is within it; own holds
	// where those begin, required which of them are. parts are those of its items,
	// anyOf, oneOf and allOf.
	properties                 []ranker.Parameter
	own                        []int
	required                   []string
	items, anyOf, oneOf, allOf []ranker.Parameter
}

func (n *schemaNode) parameters() []ranker.Parameter {
	return slices.Concat(n.properties, n.items, n.anyOf, n.oneOf, n.allOf)
}

// require marks the node's own properties that its schema requires. What is
// within another one is not required.
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

// textReader reads a text of JSON from its beginning to its end.
type textReader struct {
	dec *jsontext.Decoder
	// err is the first error, after which nothing is read.
	err error
}

func newTextReader(text json.RawMessage) *textReader {
	return &textReader{dec: jsontext.NewDecoder(bytes.NewBuffer(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// node reads a schema at a depth. Below the last one only its description
// counts, which is that of a property.
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

// properties reads the object of a schema's properties, and says where each of
// them begins.
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

// strings reads a list of strings, the first maxParameters of it.
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

// enter goes into an object or a list; a value of another kind is passed over.
func (r *textReader) enter(kind jsontext.Kind) bool {
	if r.err != nil || r.dec.PeekKind() != kind {
		r.value()
		return false
	}
	_, r.err = r.dec.ReadToken()
	return r.err == nil
}

// more reports whether another value follows, and goes over the end where none
// does.
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

// value returns the text of the next value, good until the one after it; nil
// where there is none.
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

// members returns the members of an object in their order, which a map would
// lose; nil when raw is no object.
func members(raw json.RawMessage) []member {
	if !isObject(raw) {
		return nil
	}
	var list []member
	// Of a broken object, the members before the fault.
	_ = ijson.Each(raw, func(name []byte, value json.RawMessage) {
		list = append(list, member{string(name), value})
	})
	return list
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}
