package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Editor changes a JSON text and leaves everything it is not asked to
// change as it is: comments, order, blanks, line ends, trailing commas.
type Editor struct {
	doc *Document
	bom bool
	// eol and unit are the line end and the indentation that the text uses. unit
	// is empty in a text without line breaks.
	eol, unit string
}

// NewEditor parses a text that is to be changed.
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

// Text returns the text as it is now.
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
	// indent is that of the line on which the object begins.
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

// Child returns the object under a key, and adds an empty one when there is
// none and create is set.
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

// set gives a key a value. A new key goes last.
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

// SetBool gives a key a boolean.
func (o Object) SetBool(key string, value bool) { o.set(key, hujson.Bool(value)) }

// SetString gives a key a string.
func (o Object) SetString(key, value string) { o.set(key, hujson.String(value)) }

// SetNumber gives a key a number.
func (o Object) SetNumber(key string, value float64) { o.set(key, hujson.Float(value)) }

// SetEmptyList gives a key a list without elements.
func (o Object) SetEmptyList(key string) { o.set(key, &hujson.Array{}) }

// Kind returns the kind of the value under a key: '{', '[', '"', '0', 't', 'f'
// or 'n', and 0 when there is no such key.
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

// Has reports whether there is a key.
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

// Remove takes a key away, with the comments that belong to it.
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

// aligned returns what stands before a closing bracket with the bracket where it
// stood before, on a line of its own.
func aligned(now, before hujson.Extra) hujson.Extra {
	was, broken := indentation(before)
	is, stillBroken := indentation(now)
	if !broken || !stillBroken || !bytes.HasSuffix(now, []byte("\n"+is)) {
		return now
	}
	return append(bytes.TrimSuffix(now, []byte(is)), was...)
}

// tidy corrects what a removal leaves, as for a list.
func (o Object) tidy(first, last hujson.Extra) {
	n := len(o.object.Members)
	if n == 0 {
		if len(bytes.TrimSpace(o.object.AfterExtra)) == 0 {
			o.object.AfterExtra = nil
		}
		return
	}
	if name := &o.object.Members[0].Name; !bytes.ContainsAny(name.BeforeExtra, "\n/") {
		name.BeforeExtra = first
	}
	if value := &o.object.Members[n-1].Value; last != nil && value.AfterExtra == nil {
		value.AfterExtra = hujson.Extra{}
	}
}

// removeAt removes what a pointer below v names, by the library's rules on which
// comments belong to it.
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

// list returns the list under a key, or nil when there is none.
func (o Object) list(key string) (*hujson.Value, *hujson.Array, error) {
	m := LastMember(o.object, key)
	if m == nil || m.Value.Value.Kind() == 'n' {
		return nil, nil, nil
	}
	if literal, ok := m.Value.Value.(hujson.Literal); ok && literal.Kind() == '"' {
		// The parser takes one name for a list of one, so it becomes one here.
		m.Value.Value = &hujson.Array{Elements: []hujson.ArrayElement{{Value: literal}}}
	}
	array, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return nil, nil, fmt.Errorf("%q is not a list", key)
	}
	return &m.Value, array, nil
}

// Names lists the elements of the list under a key; what is no string is
// listed as it is written. It is nil when there is no list.
func (o Object) Names(key string) ([]string, error) {
	_, array, err := o.list(key)
	if err != nil || array == nil {
		return nil, err
	}
	names := make([]string, 0, len(array.Elements))
	for _, e := range array.Elements {
		if literal, ok := e.Value.(hujson.Literal); ok {
			names = append(names, literal.String())
		} else {
			names = append(names, e.String())
		}
	}
	return names, nil
}

// IsEmptyList reports whether there is a list under a key that holds neither an
// element nor a comment.
func (o Object) IsEmptyList(key string) bool {
	_, array, err := o.list(key)
	return err == nil && array != nil && len(array.Elements) == 0 && len(bytes.TrimSpace(array.AfterExtra)) == 0
}

// AddName adds a name to the list under a key unless it is there.
func (o Object) AddName(key, name string) error {
	_, array, err := o.list(key)
	switch {
	case err != nil:
		return err
	case array == nil:
		o.set(key, &hujson.Array{Elements: []hujson.ArrayElement{{Value: hujson.String(name)}}})
		return nil
	case indexOf(array, name) >= 0:
		return nil
	}
	o.appendTo(array, hujson.String(name))
	return nil
}

// appendTo adds an element to a list of the object, in the list's own layout.
func (o Object) appendTo(array *hujson.Array, value hujson.ValueTrimmed) {
	added := hujson.ArrayElement{Value: value}
	if n := len(array.Elements); n > 0 {
		last := array.Elements[n-1]
		if last.AfterExtra != nil {
			added.AfterExtra = hujson.Extra{} // keeps the trailing comma
		}
		added.BeforeExtra, array.AfterExtra = o.editor.spacing(n, last.BeforeExtra, array.AfterExtra, o.indent+o.editor.unit)
	} else if len(array.AfterExtra) > 0 { // else [] stays on its line
		added.BeforeExtra, array.AfterExtra = o.editor.spacing(0, nil, array.AfterExtra, o.indent+o.editor.unit)
	}
	array.Elements = append(array.Elements, added)
}

// RemoveName removes a name from the list under a key.
func (o Object) RemoveName(key, name string) error {
	value, array, err := o.list(key)
	if err != nil || array == nil {
		return err
	}
	for i := indexOf(array, name); i >= 0; i = indexOf(array, name) {
		if err := removeElement(value, array, i); err != nil {
			return err
		}
	}
	return nil
}

func removeElement(value *hujson.Value, array *hujson.Array, i int) error {
	first, last := array.Elements[0].BeforeExtra, array.Elements[len(array.Elements)-1].AfterExtra
	closing := bytes.Clone(array.AfterExtra)
	if err := removeAt(value, fmt.Sprintf("/%d", i)); err != nil {
		return err
	}
	tidy(array, first, last)
	array.AfterExtra = aligned(array.AfterExtra, closing)
	return nil
}

// tidy corrects what a removal leaves: the blanks of an empty list, those before
// the first item on one line, and a trailing comma (last is not nil) that went
// with its item.
func tidy(array *hujson.Array, first, last hujson.Extra) {
	n := len(array.Elements)
	if n == 0 {
		if len(bytes.TrimSpace(array.AfterExtra)) == 0 {
			array.AfterExtra = nil
		}
		return
	}
	if !bytes.ContainsAny(array.Elements[0].BeforeExtra, "\n/") {
		array.Elements[0].BeforeExtra = first
	}
	if last != nil && array.Elements[n-1].AfterExtra == nil {
		array.Elements[n-1].AfterExtra = hujson.Extra{}
	}
}

// indexOf returns where a list has a name, or -1.
func indexOf(array *hujson.Array, name string) int {
	for i, e := range array.Elements {
		if literal, ok := e.Value.(hujson.Literal); ok && literal.Kind() == '"' && literal.String() == name {
			return i
		}
	}
	return -1
}

// spacing decides what goes around a new last item of an object or list that
// has count items: before is put before the new item, after before the closing
// bracket. last is what stands before the last item now, gap what stands before
// the closing bracket, and indent the indentation of the line it all begins on.
//
// Comments in the gap follow the last item and stay where they are.
func (e *Editor) spacing(count int, last, gap hujson.Extra, indent string) (before, after hujson.Extra) {
	comments := bytes.TrimRight(gap, " \t\r\n")
	before, after = bytes.Clone(comments), gap[len(comments):]
	own, broken := indentation(last)
	switch {
	case count > 0 && broken:
		return append(before, e.eol+own...), after
	case bytes.ContainsRune(gap, '\n') || count == 0 && e.unit != "":
		// The first item of an object that spans lines, or will.
		if !bytes.ContainsRune(after, '\n') {
			after = hujson.Extra(e.eol + indent)
		}
		return append(before, e.eol+indent+e.unit...), after
	case count == 0:
		return before, after
	case count == 1 || len(last) > 0:
		return append(before, ' '), after
	default: // as tight as the items before
		return before, after
	}
}

// indentation returns what stands between the last line break of extra and its
// end, and whether there is a line break.
func indentation(extra hujson.Extra) (indent string, broken bool) {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return "", false
	}
	rest := extra[i+1:]
	return string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]), true
}
