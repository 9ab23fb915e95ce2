package jsonc

import (
	"bytes"
	"fmt"

	"github.com/tailscale/hujson"
)

// list returns the list under a key, or nil when there is none.
func (o Object) list(key string) (*hujson.Value, *hujson.Array, error) {
	m := LastMember(o.object, key)
	if m == nil || m.Value.Value.Kind() == 'n' {
		return nil, nil, nil
	}
	if literal, ok := m.Value.Value.(hujson.Literal); ok && literal.Kind() == '"' {
		// The parser accepts one name for a list of one, so convert it here.
		m.Value.Value = &hujson.Array{Elements: []hujson.ArrayElement{{Value: literal}}}
	}
	array, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return nil, nil, fmt.Errorf("%q is not a list", key)
	}
	return &m.Value, array, nil
}

// Names lists the elements of the list under a key; other values than strings as written.
// It returns nil if there is no list.
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

// IsEmptyList reports whether there is a list under a key without elements and comments.
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

// appendTo adds an element to a list of the object, in the list's layout.
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

// tidy repairs the layout after a removal: the blanks of an empty list, those before the
// first item on one line, and a trailing comma (last is not nil) that was removed with
// its item.
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

// indexOf returns the index of a name in a list, or -1.
func indexOf(array *hujson.Array, name string) int {
	for i, e := range array.Elements {
		if literal, ok := e.Value.(hujson.Literal); ok && literal.Kind() == '"' && literal.String() == name {
			return i
		}
	}
	return -1
}

// Elements returns the elements of the list under a key, without the comments around
// them, or nil if there is no list.
func (o Object) Elements(key string) []Fragment {
	_, array, err := o.list(key)
	if err != nil || array == nil {
		return nil
	}
	elements := make([]Fragment, 0, len(array.Elements))
	for _, e := range array.Elements {
		indent, _ := indentation(e.BeforeExtra)
		value := hujson.Value{Value: e.Value}
		elements = append(elements, Fragment{Text: dedent(string(value.Pack()), indent)})
	}
	return elements
}

// Append adds an element to the list under a key, and creates the list if there is none.
func (o Object) Append(key string, f Fragment) error {
	_, array, err := o.list(key)
	if err != nil {
		return err
	}
	if array == nil {
		array = &hujson.Array{}
		o.set(key, array)
		if o.editor.unit != "" {
			array.AfterExtra = hujson.Extra(o.editor.eol + o.memberIndent(key))
		}
	}
	inner := o.memberIndent(key) + o.editor.unit
	if n := len(array.Elements); n > 0 {
		if own, broken := indentation(array.Elements[n-1].BeforeExtra); broken {
			inner = own
		}
	}
	value, err := parseValue(o.editor.indented(f.Text, inner))
	if err != nil {
		return err
	}
	o.appendTo(array, value)
	return nil
}

// memberIndent returns the indentation of a key's line.
func (o Object) memberIndent(key string) string {
	if m := LastMember(o.object, key); m != nil {
		if own, broken := indentation(m.Name.BeforeExtra); broken {
			return own
		}
	}
	return o.indent
}

// RemoveElement removes an element from the list under a key.
func (o Object) RemoveElement(key string, i int) error {
	value, array, err := o.list(key)
	if err != nil || array == nil || i >= len(array.Elements) {
		return err
	}
	return removeElement(value, array, i)
}
