package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonEditor changes a JSON text and leaves everything it is not asked to
// change as it is: comments, order, blanks, line ends, trailing commas.
type jsonEditor struct {
	doc *jsonDoc
	bom bool
	// eol and unit are the line end and the indentation that the text uses. unit
	// is empty in a text without line breaks.
	eol, unit string
}

func newJSONEditor(data []byte) (*jsonEditor, *syntaxError) {
	text := withoutBOM(data)
	doc, failure := parseJSON(text)
	if failure != nil {
		return nil, failure
	}
	e := &jsonEditor{doc: doc, bom: len(text) < len(data), eol: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		e.eol = "\r\n"
	}
	e.unit = "  "
	if object, ok := doc.root.Value.(*hujson.Object); ok && len(object.Members) > 0 {
		e.unit, _ = indentation(object.Members[0].Name.BeforeExtra)
	}
	return e, nil
}

// text returns the text as it is now.
func (e *jsonEditor) text() []byte {
	data := bytes.TrimSuffix(e.doc.root.Pack(), []byte("\n")) // which parseJSON added
	if e.bom {
		return append([]byte("\ufeff"), data...)
	}
	return data
}

// objectEditor changes one object of a text.
type objectEditor struct {
	editor *jsonEditor
	value  *hujson.Value
	object *hujson.Object
	// indent is that of the line on which the object begins.
	indent string
}

// root returns the outermost object.
func (e *jsonEditor) root() (objectEditor, error) {
	object, ok := e.doc.root.Value.(*hujson.Object)
	if !ok {
		return objectEditor{}, fmt.Errorf("the file does not hold an object")
	}
	return objectEditor{e, &e.doc.root, object, ""}, nil
}

// child returns the object under a key, and adds an empty one when there is
// none and create is set.
func (o objectEditor) child(key string, create bool) (objectEditor, error) {
	m := lastMember(o.object, key)
	if m == nil {
		if !create {
			return objectEditor{}, fmt.Errorf("%q is not in the file any more", key)
		}
		o.set(key, &hujson.Object{})
		m = lastMember(o.object, key)
	}
	object, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return objectEditor{}, fmt.Errorf("%q is not an object", key)
	}
	indent := o.indent
	if own, broken := indentation(m.Name.BeforeExtra); broken {
		indent = own
	}
	return objectEditor{o.editor, &m.Value, object, indent}, nil
}

// set gives a key a value. A new key goes last.
func (o objectEditor) set(key string, value hujson.ValueTrimmed) {
	if m := lastMember(o.object, key); m != nil {
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

// remove takes a key away, with the comments that belong to it.
func (o objectEditor) remove(key string) error {
	for lastMember(o.object, key) != nil {
		pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		if err := removeAt(o.value, pointer); err != nil {
			return err
		}
	}
	return nil
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
func (o objectEditor) list(key string) (*hujson.Value, *hujson.Array, error) {
	m := lastMember(o.object, key)
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

// addName adds a name to the list under a key unless it is there.
func (o objectEditor) addName(key, name string) error {
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
	added := hujson.ArrayElement{Value: hujson.String(name)}
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
	return nil
}

// removeName removes a name from the list under a key.
func (o objectEditor) removeName(key, name string) error {
	value, array, err := o.list(key)
	if err != nil || array == nil {
		return err
	}
	for i := indexOf(array, name); i >= 0; i = indexOf(array, name) {
		first, last := array.Elements[0].BeforeExtra, array.Elements[len(array.Elements)-1].AfterExtra
		if err := removeAt(value, fmt.Sprintf("/%d", i)); err != nil {
			return err
		}
		tidy(array, first, last)
	}
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
func (e *jsonEditor) spacing(count int, last, gap hujson.Extra, indent string) (before, after hujson.Extra) {
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
