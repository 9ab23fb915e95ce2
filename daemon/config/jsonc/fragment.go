package jsonc

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// Fragment is a value as written in some text, with its comments. Its line ends are \n,
// and it is indented only by its own nesting, so that it can be inserted into another
// text.
type Fragment struct {
	// Above holds the comment lines before its key, and After the comment that follows it
	// on its line. Both may be empty.
	Above string `json:"above,omitzero"`
	Text  string `json:"text"`
	After string `json:"after,omitzero"`
}

// Fragment returns the value under a key.
func (o Object) Fragment(key string) (Fragment, bool) {
	m := LastMember(o.object, key)
	if m == nil {
		return Fragment{}, false
	}
	indent := o.indent
	if own, broken := indentation(m.Name.BeforeExtra); broken {
		indent = own
	}
	above, after := o.comments(key)
	value := hujson.Value{Value: m.Value.Value}
	return Fragment{dedent(above, indent), dedent(string(value.Pack()), indent), dedent(after, indent)}, true
}

// comments returns the comments that belong to a key by the library's rules, those copied
// with it.
func (o Object) comments(key string) (above, after string) {
	pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
	patch, err := json.Marshal([]map[string]string{{"op": "copy", "from": "/from" + pointer, "path": "/to/copy"}})
	if err != nil {
		return "", ""
	}
	to := &hujson.Object{}
	scratch := hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{
		{Name: hujson.Value{Value: hujson.String("from")}, Value: hujson.Value{Value: o.object}},
		{Name: hujson.Value{Value: hujson.String("to")}, Value: hujson.Value{Value: to}},
	}}}
	if err := scratch.Patch(patch); err != nil || len(to.Members) == 0 {
		return "", ""
	}
	return strings.TrimSpace(string(to.Members[0].Name.BeforeExtra)), strings.TrimSpace(string(to.AfterExtra))
}

// dedent removes the indentation of the first line from the others.
func dedent(text, indent string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.ReplaceAll(text, "\n"+indent, "\n")
}

// Insert adds a key with an already written value, as the last one.
func (o Object) Insert(key string, f Fragment) error {
	value, err := parseValue(f.Text)
	if err != nil {
		return err
	}
	o.set(key, value)
	m := LastMember(o.object, key)
	indent, broken := indentation(m.Name.BeforeExtra)
	if !broken {
		indent = o.indent
	}
	if m.Value.Value, err = parseValue(o.editor.indented(f.Text, indent)); err != nil {
		return err
	}
	if f.Above != "" {
		if !broken { // on the line of the bracket it would be the bracket's comment
			m.Name.BeforeExtra = append(bytes.TrimRight(m.Name.BeforeExtra, " "), o.editor.eol+indent...)
		}
		m.Name.BeforeExtra = append(m.Name.BeforeExtra, o.editor.indented(f.Above, indent)+o.editor.eol+indent...)
	}
	if f.After != "" {
		o.object.AfterExtra = o.editor.follow(f.After, o.object.AfterExtra, o.indent)
	}
	return nil
}

// follow puts a comment after the last item of an object whose closing bracket is
// preceded by gap.
func (e *Editor) follow(comment string, gap hujson.Extra, indent string) hujson.Extra {
	added := []byte(" " + e.indented(comment, indent))
	if strings.HasPrefix(comment, "//") && !bytes.HasPrefix(bytes.TrimLeft(gap, " \t\r"), []byte("\n")) {
		added = append(added, e.eol+indent...)
	}
	return append(added, gap...)
}

// indented returns the text with its further lines indented, and with the editor's line
// ends.
func (e *Editor) indented(text, indent string) string {
	return strings.ReplaceAll(text, "\n", e.eol+indent)
}

func parseValue(text string) (hujson.ValueTrimmed, error) {
	doc, failure := Parse([]byte(text))
	if failure != nil {
		return nil, failure
	}
	return doc.Root.Value, nil
}
