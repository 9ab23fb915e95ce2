package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds the nesting of a body. The limit of jsontext, 10,000, would make
// recursion expensive.
const maxDepth = 512

// ErrUnknown is wrapped by errors that mean that a body is not in the format or not
// understood.
var ErrUnknown = errors.New("not understood")

// span is the position of a value in a text. The zero span means no value.
type span struct{ start, end int }

func (s span) empty() bool { return s.end == 0 }

// in returns the text of the span.
func (s span) in(text []byte) []byte { return text[s.start:s.end:s.end] }

// from returns the span relative to a later start. An empty span stays empty.
func (s span) from(start int) span {
	if s.empty() {
		return s
	}
	return span{s.start - start, s.end - start}
}

// reader reads a JSON text once and records positions of values. Each method reads
// exactly one value.
type reader struct {
	text []byte
	dec  *jsontext.Decoder
	deep int
}

// newReader returns a reader of one JSON value. It refuses duplicate keys and invalid
// UTF-8, because a provider may read them differently.
func newReader(text []byte) *reader {
	return &reader{text: text, dec: jsontext.NewDecoder(bytes.NewBuffer(text))}
}

func (r *reader) offset() int { return int(r.dec.InputOffset()) }

// is reports whether the next value has a kind: one of `n`, `t`, `f`, `"`, `0`, `{`, `[`.
func (r *reader) is(kind jsontext.Kind) bool { return r.dec.PeekKind() == kind }

// skip skips a value.
func (r *reader) skip() (span, error) {
	v, err := r.dec.ReadValue()
	if err != nil {
		return span{}, err
	}
	end := r.offset()
	return span{end - len(v), end}, nil
}

// str returns the value of a string, and "" for any other value.
func (r *reader) str() (string, error) {
	if !r.is('"') {
		return "", r.dec.SkipValue()
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

// strAt returns a string and its span; for any other value, "" and the empty span.
func (r *reader) strAt() (string, span, error) {
	if !r.is('"') {
		return "", span{}, r.dec.SkipValue()
	}
	at, err := r.skip()
	if err != nil {
		return "", span{}, err
	}
	text, err := jsontext.AppendUnquote(nil, at.in(r.text))
	return string(text), at, err
}

// boolean returns whether the value is true.
func (r *reader) boolean() (bool, error) {
	yes := r.is('t')
	return yes, r.dec.SkipValue()
}

// fields holds where the values of an object's members go, by name: a *string, *bool,
// *[]byte, *span or *[Role], the fields of an object, or a function that reads the value.
type fields map[string]any

// fields reads the members of an object. Those without a target are skipped, as is a value
// that is no object.
func (r *reader) fields(m fields) (span, error) {
	return r.object(func(name string) error { return r.value(m[name]) })
}

// value reads a value into a target of [fields]; nil skips it.
func (r *reader) value(target any) (err error) {
	var at span
	switch target := target.(type) {
	case nil:
		err = r.dec.SkipValue()
	case *string:
		*target, err = r.str()
	case *bool:
		*target, err = r.boolean()
	case *[]byte:
		at, err = r.skip()
		*target = at.in(r.text)
	case *span:
		*target, err = r.skip()
	case *Role:
		*target, err = r.role()
	case fields:
		_, err = r.fields(target)
	case func() error:
		err = target()
	default:
		panic(fmt.Sprintf("nothing can be read into a %T", target))
	}
	return err
}

// unquoted returns a function that reads a string into text.
func (r *reader) unquoted(text *[]byte) func() error {
	return func() error {
		s, err := r.str()
		*text = []byte(s)
		return err
	}
}

// elements returns a function that reads an array and its position.
func (r *reader) elements(at *span, element func() error) func() error {
	return func() (err error) {
		*at, err = r.array(element)
		return err
	}
}

// cut returns a function that skips a value and stores the span of its member; see member.
func (r *reader) cut(at *span) func() error {
	return func() (err error) {
		*at, err = r.member(r.dec.SkipValue)
		return err
	}
}

// role reads the role of a message.
func (r *reader) role() (Role, error) {
	role, err := r.str()
	switch role {
	case "developer", "system":
		return RoleSystem, err
	case "assistant", "model":
		return RoleAssistant, err
	case "tool", "function":
		return RoleTool, err
	}
	return RoleUser, err
}

// object calls member for each member of an object; member must read exactly the value.
// Any other value is skipped.
func (r *reader) object(member func(name string) error) (span, error) {
	if !r.is('{') {
		return r.skip()
	}
	return r.composite('}', func() error {
		name, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		return member(name.String())
	})
}

// document reads a text that is one object.
func (r *reader) document(m fields) error {
	if !r.is('{') {
		return fmt.Errorf("%w: no JSON object", ErrUnknown)
	}
	if _, err := r.fields(m); err != nil {
		return err
	}
	if _, err := r.dec.ReadToken(); err != io.EOF { //nolint:errorlint // jsontext returns it bare
		return fmt.Errorf("%w: something follows the object", ErrUnknown)
	}
	return nil
}

// array calls element for each element of an array; element must read exactly one value.
// Any other value is skipped.
func (r *reader) array(element func() error) (span, error) {
	if !r.is('[') {
		return r.skip()
	}
	return r.composite(']', element)
}

func (r *reader) composite(end jsontext.Kind, next func() error) (span, error) {
	if r.deep++; r.deep > maxDepth {
		return span{}, fmt.Errorf("%w: nested deeper than %d", ErrUnknown, maxDepth)
	}
	defer func() { r.deep-- }()
	if _, err := r.dec.ReadToken(); err != nil {
		return span{}, err
	}
	start := r.offset() - 1
	for r.dec.PeekKind() != end {
		if r.dec.PeekKind() == 0 { // the text ends or is malformed here
			_, err := r.dec.ReadToken()
			return span{}, err
		}
		if err := next(); err != nil {
			return span{}, err
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return span{}, err
	}
	return span{start, r.offset()}, nil
}

// member reads the value of a member whose name was just read, and returns the span of
// the member with its comma. The object stays valid without it.
func (r *reader) member(value func() error) (span, error) {
	// The name is searched backwards from its closing quote. This is safe because
	// relevant names have no escapes.
	start := bytes.LastIndexByte(r.text[:r.offset()-1], '"')
	if err := value(); err != nil {
		return span{}, err
	}
	end := r.offset()
	before := bytes.TrimRight(r.text[:start], space)
	if len(before) > 0 && before[len(before)-1] == ',' {
		return span{len(before) - 1, end}, nil
	}
	if after := bytes.TrimLeft(r.text[end:], space); len(after) > 0 && after[0] == ',' {
		end = len(r.text) - len(after) + 1
	}
	return span{start, end}, nil
}

// space is JSON's whitespace.
const space = " \t\r\n"
