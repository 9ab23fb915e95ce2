package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object is a JSON object that keeps the order of its members.
type object []member

// member is one member of an object.
type member struct {
	key   string
	value any
}

// add appends a member; a nil value adds none.
func (o *object) add(key string, value any) {
	if value != nil {
		*o = append(*o, member{key, value})
	}
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := encode(m.key)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", m.key, err)
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// encode marshals without escaping <, > and &: the files are read by people.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// indented marshals over several lines, each after the first beginning with
// prefix.
func indented(value any, prefix string) ([]byte, error) {
	compact, err := encode(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, prefix, "  "); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
