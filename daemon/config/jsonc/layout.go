package jsonc

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// aligned returns the text before a closing bracket so that the bracket is where it was,
// on its own line.
func aligned(now, before hujson.Extra) hujson.Extra {
	was, broken := indentation(before)
	is, stillBroken := indentation(now)
	if !broken || !stillBroken || !bytes.HasSuffix(now, []byte("\n"+is)) {
		return now
	}
	return append(bytes.TrimSuffix(now, []byte(is)), was...)
}

// tidy repairs the layout after a removal, as for a list.
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

// Unfold puts each key of a one-line object on its own line, unless the whole text is on
// one line.
func (o Object) Unfold() {
	if o.editor.unit == "" || bytes.ContainsRune(o.value.Pack(), '\n') {
		return
	}
	for i := range o.object.Members {
		name := &o.object.Members[i].Name
		comments := bytes.TrimSpace(name.BeforeExtra)
		name.BeforeExtra = hujson.Extra(o.editor.eol + o.indent + o.editor.unit)
		if len(comments) > 0 {
			name.BeforeExtra = append(append(name.BeforeExtra, comments...), ' ')
		}
	}
	o.object.AfterExtra = append(bytes.TrimRight(o.object.AfterExtra, " \t"), o.editor.eol+o.indent...)
}

// spacing determines the white space around a new last item of an object or list of count
// items. before precedes the new item, after the closing bracket. last currently precedes
// the last item, gap the closing bracket; indent is the indentation of the line where it
// all begins.
//
// Comments in the gap belong to the last item and stay.
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
	default: // as tight as the other items
		return before, after
	}
}

// indentation returns the text between the last line break of extra and its end, and
// whether there is a line break.
func indentation(extra hujson.Extra) (indent string, broken bool) {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return "", false
	}
	rest := extra[i+1:]
	return string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]), true
}
