package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Editor changes a JSON text and keeps everything else in it: comments, order, blanks,
// line ends, trailing commas.
type Editor struct {
	doc *Document
	bom bool
	// eol and unit are the text's line end and indentation. unit is "" in a text without
	// line breaks.
	eol, unit string
}

// NewEditor parses a text to be changed.
func NewEditor(data []byte) (*Editor, *SyntaxError) {
	text := WithoutBOM(data)
	doc, failure := Parse(text)
	if failure != nil {
		return nil, failure
	}
	e := &Editor{doc: doc, bom: len(text) < len(data), eol: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		e.eol = "\r\n"
	}
	e.unit = "  "
	if object, ok := doc.Root.Value.(*hujson.Object); ok && len(object.Members) > 0 {
		e.unit, _ = indentation(object.Members[0].Name.BeforeExtra)
	}
	return e, nil
}

// Text returns the current text.
func (e *Editor) Text() []byte {
	data := bytes.TrimSuffix(e.doc.Root.Pack(), []byte("\n")) // which Parse added
	if e.bom {
		return append([]byte("\ufeff"), data...)
	}
	return data
}

// Find returns the value at the end of a path of keys, or nil.
func (e *Editor) Find(path ...string) *hujson.Value { return e.doc.Find(path...) }

// Object changes one object of a text.
type Object struct {
	editor *Editor
	value  *hujson.Value
	object *hujson.Object
	// indent is the indentation of the line on which the object begins.
	indent string
}

// Root returns the outermost object.
func (e *Editor) Root() (Object, error) {
	object, ok := e.doc.Root.Value.(*hujson.Object)
	if !ok {
		return Object{}, fmt.Errorf("the file does not hold an object")
	}
	return Object{e, &e.doc.Root, object, ""}, nil
}

// Child returns the object under a key. If there is none and create is set, it adds an
// empty one.
func (o Object) Child(key string, create bool) (Object, error) {
	m := LastMember(o.object, key)
	if m == nil {
		if !create {
			return Object{}, fmt.Errorf("%q is not in the file any more", key)
		}
		o.set(key, &hujson.Object{})
		m = LastMember(o.object, key)
	}
	object, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return Object{}, fmt.Errorf("%q is not an object", key)
	}
	indent := o.indent
	if own, broken := indentation(m.Name.BeforeExtra); broken {
		indent = own
	}
	return Object{o.editor, &m.Value, object, indent}, nil
}

// set sets the value of a key. A new key is added last.
func (o Object) set(key string, value hujson.ValueTrimmed) {
	if m := LastMember(o.object, key); m != nil {
		m.Value.Value = value
		return
	}
	var last hujson.Extra
	n := len(o.object.Members)
	if n > 0 {
		last = o.object.Members[n-1].Name.BeforeExtra
	}
	added := hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(key)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	}
	if n > 0 && o.object.Members[n-1].Value.AfterExtra != nil {
		added.Value.AfterExtra = hujson.Extra{} // keeps the trailing comma
	}
	added.Name.BeforeExtra, o.object.AfterExtra = o.editor.spacing(n, last, o.object.AfterExtra, o.indent)
	o.object.Members = append(o.object.Members, added)
}

// SetBool sets a key to a boolean.
func (o Object) SetBool(key string, value bool) { o.set(key, hujson.Bool(value)) }

// SetString sets a key to a string.
func (o Object) SetString(key, value string) { o.set(key, hujson.String(value)) }

// SetNumber sets a key to a number.
func (o Object) SetNumber(key string, value float64) { o.set(key, hujson.Float(value)) }

// SetEmptyList sets a key to an empty list.
func (o Object) SetEmptyList(key string) { o.set(key, &hujson.Array{}) }

// Kind returns the kind of the value under a key: '{', '[', '"', '0', 't', 'f' or 'n', or
// 0 if there is no such key.
func (o Object) Kind(key string) byte {
	m := LastMember(o.object, key)
	if m == nil {
		return 0
	}
	return byte(m.Value.Value.Kind())
}

// Number returns the number under a key.
func (o Object) Number(key string) (float64, bool) {
	literal, ok := o.literal(key)
	if !ok || literal.Kind() != '0' {
		return 0, false
	}
	return literal.Float(), true
}

// Text returns the string under a key.
func (o Object) Text(key string) (string, bool) {
	literal, ok := o.literal(key)
	if !ok || literal.Kind() != '"' {
		return "", false
	}
	return literal.String(), true
}

func (o Object) literal(key string) (hujson.Literal, bool) {
	m := LastMember(o.object, key)
	if m == nil {
		return nil, false
	}
	literal, ok := m.Value.Value.(hujson.Literal)
	return literal, ok
}

// Has reports whether the object has a key.
func (o Object) Has(key string) bool { return LastMember(o.object, key) != nil }

// Keys lists the keys in the order of the text, each once.
func (o Object) Keys() []string {
	var keys []string
	for _, m := range o.object.Members {
		if key := NameOf(m); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// IsEmpty reports whether the object holds neither a key nor a comment.
func (o Object) IsEmpty() bool {
	return len(o.object.Members) == 0 && len(bytes.TrimSpace(o.object.AfterExtra)) == 0
}

// Remove removes a key, with the comments that belong to it.
func (o Object) Remove(key string) error {
	for m := LastMember(o.object, key); m != nil; m = LastMember(o.object, key) {
		members := o.object.Members
		first, last := members[0].Name.BeforeExtra, members[len(members)-1].Value.AfterExtra
		closing := bytes.Clone(o.object.AfterExtra)
		pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		if err := removeAt(o.value, pointer); err != nil {
			return err
		}
		o.tidy(first, last)
		o.object.AfterExtra = aligned(o.object.AfterExtra, closing)
	}
	return nil
}

// removeAt removes the value at a JSON pointer below v, with the comments that the
// library associates with it.
func removeAt(v *hujson.Value, pointer string) error {
	type operation struct {
		Op   string `json:"op"`
		Path string `json:"path"`
	}
	patch, err := json.Marshal([]operation{{"remove", pointer}})
	if err != nil {
		return fmt.Errorf("edit the file: %w", err)
	}
	if err := v.Patch(patch); err != nil {
		return fmt.Errorf("edit the file: %w", err)
	}
	return nil
}
