package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"

	"go.starlark.net/starlark"
)

// jsonDecode is the builtin that decodes JSON.
func (r *run) jsonDecode(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &text); err != nil {
		return nil, err
	}
	return r.decode([]byte(text))
}

// jsonEncode is the builtin that encodes a value as JSON.
func (r *run) jsonEncode(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var value starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &value); err != nil {
		return nil, err
	}
	text, err := r.encode(value)
	return starlark.String(text), err
}

// decode decodes a JSON value and keeps the order of members.
func (r *run) decode(raw []byte) (starlark.Value, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := r.value(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows the JSON value")
	}
	return v, nil
}

func (r *run) value(dec *json.Decoder, depth int) (starlark.Value, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("this is no JSON: %w", err)
	}
	if depth > maxNesting {
		return nil, errNesting
	}
	var v starlark.Value = starlark.None
	switch token := token.(type) {
	case bool:
		v = starlark.Bool(token)
	case string:
		v = starlark.String(token)
	case json.Number:
		v = number(token.String())
	case json.Delim:
		return r.container(dec, token, depth)
	}
	return v, r.meter.make(shallow(v))
}

func (r *run) container(dec *json.Decoder, begin json.Delim, depth int) (starlark.Value, error) {
	dict, list := starlark.NewDict(0), []starlark.Value{}
	if err := r.meter.make(dictBytes); err != nil {
		return nil, err
	}
	for dec.More() {
		var key starlark.Value
		if begin == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil, fmt.Errorf("this is no JSON: %w", err)
			}
			name, _ := token.(string)
			key = starlark.String(name)
		}
		item, err := r.value(dec, depth+1)
		if err == nil && key != nil {
			err = errorsOr(r.meter.make(entryBytes+shallow(key)), dict.SetKey(key, item))
		}
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("this is no JSON: %w", err)
	}
	if begin == '{' {
		return dict, nil
	}
	return starlark.NewList(list), r.meter.make(int64(len(list)) * itemBytes)
}

// number returns a number of JSON: an int if it is whole and not too long.
func number(text string) starlark.Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return starlark.MakeInt64(n)
	}
	if len(text) <= maxDigits {
		if n, ok := new(big.Int).SetString(text, 10); ok {
			return starlark.MakeBigInt(n)
		}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return starlark.Float(f)
	}
	return starlark.String(text)
}

// encode encodes a value as JSON.
func (r *run) encode(v starlark.Value) (string, error) {
	size, err := r.meter.weigh(v)
	if err == nil {
		err = r.meter.make(size)
	}
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := write(&b, v); err != nil {
		return "", err
	}
	return b.String(), r.meter.make(int64(b.Len()))
}

func write(b *bytes.Buffer, v starlark.Value) error {
	switch v := v.(type) {
	case starlark.NoneType:
		b.WriteString("null")
	case starlark.Bool:
		fmt.Fprintf(b, "%t", bool(v))
	case starlark.Int:
		b.WriteString(v.String())
	case starlark.Float:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%v is no number of JSON", f)
		}
		return plain(b, float64(v))
	case starlark.String:
		return plain(b, string(v))
	case *starlark.Dict:
		return writeDict(b, v)
	case *starlark.List, starlark.Tuple, *starlark.Set:
		b.WriteByte('[')
		first := true
		for item := range starlark.Elements(v.(starlark.Iterable)) { //nolint:forcetypeassert // all three are
			if !first {
				b.WriteByte(',')
			}
			first = false
			if err := write(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		return fmt.Errorf("a %s has no form in JSON; make a list or a text of it", v.Type())
	}
	return nil
}

func writeDict(b *bytes.Buffer, dict *starlark.Dict) error {
	b.WriteByte('{')
	first := true
	for key, value := range dict.Entries() {
		name, ok := starlark.AsString(key)
		if !ok {
			return fmt.Errorf("a member's name is a text, not %s", key.Type())
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if err := plain(b, name); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := write(b, value); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// plain encodes a string or a number without escapes for HTML.
func plain(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // drop the encoder's newline
	return nil
}
