package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// draft is the newest JSON Schema that VS Code's editor knows in full.
const draft = "http://json-schema.org/draft-07/schema#"

// jsonSchema is the schema of Winnow's own files.
func jsonSchema(file *reach) ([]byte, error) {
	root := reflect.TypeFor[protocol.WinnowFile]().Name()
	var definitions object
	for _, name := range file.inOrder() {
		definition, err := file.pkg.schema(file.types[name], name != root)
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", name, err)
		}
		definitions.add(name, definition)
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

// schema is that of a declared type. What the root says is for Go's readers.
func (p *Package) schema(t reflect.Type, described bool) (object, error) {
	var out object
	doc := ""
	if described {
		doc = plainDoc(t.Name(), p.Docs[t.Name()])
	}
	if t.Kind() != reflect.Struct {
		literals, docs := p.enum(t.Name())
		out.add("enum", literals)
		out.describe(doc)
		out.add("markdownEnumDescriptions", docs)
		return out, nil
	}
	properties, required := object{}, []string{}
	for _, f := range p.fields(t) {
		if f.JSON == "" {
			return nil, errors.New("a file's type embeds no other")
		}
		property, err := f.schema()
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.JSON, err)
		}
		property.describe(f.Doc)
		properties.add(f.JSON, property)
		if !f.Optional {
			required = append(required, f.JSON)
		}
	}
	out.add("type", "object")
	out.describe(doc)
	out.add("properties", properties)
	if len(required) > 0 {
		out.add("required", required)
	}
	out.add("additionalProperties", false)
	return out, nil
}

// enum returns the values of a type as JSON, and what each means.
func (p *Package) enum(name string) (literals []json.RawMessage, docs []string) {
	for _, v := range p.Values[name] {
		literals, docs = append(literals, json.RawMessage(v.Literal)), append(docs, markdown(plainDoc(v.Name, v.Doc)))
	}
	return literals, docs
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

// schema is that of a member. A reference stands in allOf: beside it, editors
// ignore what a member says.
func (f *Field) schema() (object, error) {
	words, values := f.words()
	out := schemaOf(f.Type)
	switch {
	case values:
		out = object{{"type", "object"}, {"additionalProperties", anyOf(words)}}
	case words != nil:
		out = anyOf(words)
	case declared(f.Type):
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

func schemaOf(t reflect.Type) object {
	switch {
	case t == rawMessage || t.Kind() == reflect.Interface:
		return object{}
	case declared(t):
		return object{{"$ref", "#/definitions/" + t.Name()}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return object{{"type", "array"}, {"items", schemaOf(t.Elem())}}
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", schemaOf(t.Elem())}}
	}
	return object{{"type", basics[t.Kind()]}}
}

// anyOf is one of the JSON types or declared types that words name.
func anyOf(words []string) object {
	alts := make([]object, len(words))
	for i, word := range words {
		name, list := strings.CutSuffix(word, "[]")
		alts[i] = object{{"type", name}}
		if tagged[name] != nil {
			alts[i] = schemaOf(tagged[name])
		}
		if list {
			alts[i] = object{{"type", "array"}, {"items", alts[i]}}
		}
	}
	return object{{"anyOf", alts}}
}
