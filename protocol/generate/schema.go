package main

import (
	"fmt"
	"strconv"
	"strings"
)

// draft is the newest JSON Schema that VS Code's editor knows in full.
const draft = "http://json-schema.org/draft-07/schema#"

// jsonSchema writes the schema of the declared type root, and of all that it
// is made of.
func jsonSchema(pkg *Package, root string) ([]byte, error) {
	var definitions object
	for _, t := range pkg.reach([]string{root}) {
		if t.Name == root {
			// The file's own doc is for those who read the Go source.
			t = &Type{Name: t.Name, Fields: t.Fields}
		}
		definition, err := t.schema()
		if err != nil {
			return nil, err
		}
		definitions.add(t.Name, definition)
	}
	out, err := indented(object{
		{"$schema", draft},
		{"$comment", "Generated from package protocol by `" + command + "`. Do not edit."},
		{"allowComments", true},
		{"allowTrailingCommas", true},
		{"$ref", "#/definitions/" + root},
		{"definitions", definitions},
	}, "")
	return append(out, '\n'), err
}

// schema describes a declared type. An object takes no keys that it does not
// name, so that the editor underlines a misspelt one.
func (t *Type) schema() (object, error) {
	var out object
	if t.Kind != Struct {
		out.add("enum", t.literals())
		out.describe(plainDoc(t.Name, t.Doc))
		var docs []string
		for _, v := range t.Values {
			docs = append(docs, markdown(plainDoc(v.Name, v.Doc)))
		}
		out.add("markdownEnumDescriptions", docs)
		return out, nil
	}
	properties, required := object{}, []string{}
	for _, f := range t.Fields {
		if f.Embedded() {
			return nil, fmt.Errorf("type %s: a file's type embeds no other", t.Name)
		}
		property, err := f.schema()
		if err != nil {
			return nil, fmt.Errorf("type %s: field %s: %w", t.Name, f.JSON, err)
		}
		property.describe(f.Doc)
		properties.add(f.JSON, property)
		if !f.Optional {
			required = append(required, f.JSON)
		}
	}
	out.add("type", "object")
	out.describe(plainDoc(t.Name, t.Doc))
	out.add("properties", properties)
	if len(required) > 0 {
		out.add("required", required)
	}
	out.add("additionalProperties", false)
	return out, nil
}

// describe adds a doc comment in the two spellings that readers of schemas
// know: plain, and Markdown where it holds any.
func (o *object) describe(doc string) {
	if doc == "" {
		return
	}
	o.add("description", strings.ReplaceAll(markdown(doc), "`", ""))
	if text := markdown(doc); strings.ContainsAny(text, "`*") {
		o.add("markdownDescription", text)
	}
}

// schema is the form of a field with its bounds, less its description.
func (f Field) schema() (object, error) {
	out := f.Type.schema()
	if f.Type.Form == Named {
		// Draft 7 ignores what stands beside a $ref, such as a description.
		out = object{{"allOf", []object{out}}}
	}
	limits := f.Tag.Get("limits")
	if limits == "" {
		return out, nil
	}
	low, high, ok := strings.Cut(limits, ",")
	if !ok {
		return nil, fmt.Errorf("limits tag %q: want a lowest and a highest value", limits)
	}
	for _, bound := range []struct{ key, text string }{{"minimum", low}, {"maximum", high}} {
		n, err := strconv.ParseFloat(bound.text, 64)
		if err != nil {
			return nil, fmt.Errorf("limits tag %q: %w", limits, err)
		}
		out.add(bound.key, n)
	}
	return out, nil
}

// schema is the reference as a schema.
func (r *Ref) schema() object {
	switch r.Form {
	case String:
		return object{{"type", "string"}}
	case Boolean:
		return object{{"type", "boolean"}}
	case Integer:
		return object{{"type", "integer"}}
	case Number:
		return object{{"type", "number"}}
	case Null:
		return object{{"type", "null"}}
	case Named:
		return object{{"$ref", "#/definitions/" + r.Name}}
	case List:
		return object{{"type", "array"}, {"items", r.Elem.schema()}}
	case Map:
		return object{{"type", "object"}, {"additionalProperties", r.Elem.schema()}}
	case Nullable:
		// A file leaves a key out rather than writing null.
		return r.Elem.schema()
	case OneOf:
		alts := make([]object, len(r.Alts))
		for i, alt := range r.Alts {
			alts[i] = alt.schema()
		}
		return object{{"anyOf", alts}}
	default:
		return object{}
	}
}
