package config

import (
	"fmt"
	"math"
	"strconv"
)

// maxProblems is the most problems of one file.
const maxProblems = 100

// decoder decodes a file's tree and collects its problems.
type decoder struct {
	source   Source
	traits   traits
	locate   func(place) position
	problems []Problem
	// last is the problem reported last, even beyond maxProblems.
	last Problem
	// server is the entry being decoded; "" outside of entries.
	server string
}

// report adds a problem at a place and returns it.
func (d *decoder) report(severity Severity, at place, message, hint string) Problem {
	where := d.locate(at)
	d.last = Problem{
		Path: d.source.Path, Line: where.Line, Column: where.Column,
		Severity: severity, Server: d.server, Message: message, Hint: hint,
	}
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, d.last)
	}
	return d.last
}

// subject names a key for a message: "args" of server "github".
func (d *decoder) subject(key string) string {
	if d.server != "" {
		return fmt.Sprintf("%q of server %q", key, d.server)
	}
	return strconv.Quote(key)
}

// wrongKind reports a value of the wrong type.
func (d *decoder) wrongKind(severity Severity, key string, v node, want string) Problem {
	return d.report(severity, v.at, fmt.Sprintf("%s must be %s, not %s", d.subject(key), want, v.kind), "")
}

// repeated reports a duplicate key.
func (d *decoder) repeated(first, again member) {
	d.report(Warning, again.at, fmt.Sprintf("%s is written twice, and the last one counts", d.subject(again.key)),
		fmt.Sprintf("remove one; the other is on line %d", d.locate(first.at).Line))
}

// unknown reports a key that is not read.
func (d *decoder) unknown(m member, known []string) {
	d.report(Warning, m.at, fmt.Sprintf("unknown key %s is not read", d.subject(m.key)), hintFor(m.key, known))
}

// object returns the fields of v, or reports that it is not an object. Null counts as
// absent.
func (d *decoder) object(key string, v node) ([]member, bool) {
	switch v.kind {
	case kindObject:
		return v.fields(d.repeated), true
	case kindNull:
		return nil, false
	default:
		d.wrongKind(Error, key, v, "an object")
		return nil, false
	}
}

// text decodes a string.
func (d *decoder) text(key string, v node) (string, bool) {
	if v.kind != kindString {
		d.wrongKind(Error, key, v, "a string")
		return "", false
	}
	return v.text, true
}

// flag decodes a boolean.
func (d *decoder) flag(key string, v node) (value, ok bool) {
	if v.kind != kindBool {
		d.wrongKind(Error, key, v, "true or false")
		return false, false
	}
	return v.text == "true", true
}

// number decodes a finite number.
func (d *decoder) number(key string, v node) (float64, bool) {
	f, err := strconv.ParseFloat(v.text, 64)
	if v.kind != kindNumber || err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		d.wrongKind(Error, key, v, "a number")
		return 0, false
	}
	return f, true
}

// names decodes a list of strings. A single string counts as a list of one, because
// ignoring it could allow more than intended. The list is not nil if ok.
func (d *decoder) names(key string, v node) (list []string, ok bool) {
	if v.kind == kindString {
		d.wrongKind(Warning, key, v, "a list of strings")
		return []string{v.text}, true
	}
	return d.strings(key, v)
}

// strings decodes a list of strings. The list is not nil if ok.
func (d *decoder) strings(key string, v node) (list []string, ok bool) {
	if v.kind != kindList {
		d.wrongKind(Error, key, v, "a list of strings")
		return nil, false
	}
	list, ok = make([]string, 0, len(v.items)), true
	for _, item := range v.items {
		if item.kind != kindString {
			d.wrongKind(Error, key, item, "a list of strings")
			ok = false
			continue
		}
		list = append(list, item.text)
	}
	return list, ok
}

// stringMap decodes an object of strings. The map is not nil if ok.
func (d *decoder) stringMap(key string, v node) (values map[string]string, ok bool) {
	if v.kind != kindObject {
		d.wrongKind(Error, key, v, "an object of strings")
		return nil, false
	}
	values, ok = make(map[string]string, len(v.members)), true
	for _, m := range v.fields(d.repeated) {
		if m.value.kind != kindString {
			d.wrongKind(Error, key+"."+m.key, m.value, "a string")
			ok = false
			continue
		}
		values[m.key] = m.value.text
	}
	return values, ok
}

// whole decodes an integer within bounds.
func (d *decoder) whole(key string, v node, least, most int) (int, bool) {
	f, ok := d.number(key, v)
	if ok && (f != float64(int(f)) || int(f) < least || int(f) > most) {
		d.report(Error, v.at, fmt.Sprintf("%s must be a whole number from %d to %d", d.subject(key), least, most), "")
		return 0, false
	}
	return int(f), ok
}
