package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds how deep a body may nest; jsontext stops at 10,000, where
// recursion over what was read would already be expensive.
const maxDepth = 512

// ErrUnknown is wrapped by every error that means: this body is not one of the
// format, or uses a part of it that is not understood.
var ErrUnknown = errors.New("not understood")

// span is where a value stands in a text. The zero span is no value.
type span struct{ start, end int }

func (s span) empty() bool { return s.end == 0 }

// in returns the text of the span.
func (s span) in(text []byte) []byte { return text[s.start:s.end:s.end] }

// from returns the span as seen from a later start; no value stays none.
func (s span) from(start int) span {
	if s.empty() {
		return s
	}
	return span{s.start - start, s.end - start}
}

// reader walks a JSON text once and tells where its values are. Each method
// reads exactly one value.
type reader struct {
	text []byte
	dec  *jsontext.Decoder
	deep int
}

// newReader reads a text that is one JSON value. Repeated keys and invalid
// UTF-8 are refused: a provider may read them otherwise than we do.
func newReader(text []byte) *reader {
	return &reader{text: text, dec: jsontext.NewDecoder(bytes.NewBuffer(text))}
}

func (r *reader) offset() int { return int(r.dec.InputOffset()) }

// is reports whether the next value is of a kind: one of `n`, `t`, `f`, `"`,
// `0`, `{`, `[`.
func (r *reader) is(kind jsontext.Kind) bool { return r.dec.PeekKind() == kind }

// skip passes a value by.
func (r *reader) skip() (span, error) {
	v, err := r.dec.ReadValue()
	if err != nil {
		return span{}, err
	}
	end := r.offset()
	return span{end - len(v), end}, nil
}

// str returns the value if it is a string, and "" for any other.
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

// strAt returns a string and where it stands; any other value is "", nowhere.
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

// object calls member for each member of an object, which has to read exactly
// the value. Any other value is passed by.
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

// document reads a text that is one object, and nothing else.
func (r *reader) document(member func(name string) error) error {
	if !r.is('{') {
		return fmt.Errorf("%w: no JSON object", ErrUnknown)
	}
	if _, err := r.object(member); err != nil {
		return err
	}
	if _, err := r.dec.ReadToken(); err != io.EOF { //nolint:errorlint // jsontext returns it bare
		return fmt.Errorf("%w: something follows the object", ErrUnknown)
	}
	return nil
}

// array calls element for each element of an array, which has to read exactly
// one value. Any other value is passed by.
func (r *reader) array(element func(i int) error) (span, error) {
	if !r.is('[') {
		return r.skip()
	}
	i := 0
	return r.composite(']', func() error {
		i++
		return element(i - 1)
	})
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
		if r.dec.PeekKind() == 0 { // the text ends, or is broken, here
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

// member reads the value of a member whose name was just read, and returns
// where the member stands with the comma that separates it: what is left
// without it is an object still.
func (r *reader) member(value func() error) (span, error) {
	// The name is found backwards from its closing quote, which is safe because
	// a name that matters has no escapes.
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

// space is what JSON calls whitespace.
const space = " \t\r\n"
