package ijson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep a message may be nested. The decoders of this program
// end at 10,000 levels, and what is passed on gets some more around it.
const MaxDepth = 9_900

// MaxToolDepth bounds the nesting of one tool. The deepest one seen has 22 levels;
// a host's JSON library may end at some thousand.
const MaxToolDepth = 1000

// ErrDepth is returned for JSON that is nested deeper than [MaxDepth].
var ErrDepth = fmt.Errorf("it is nested deeper than %d levels", MaxDepth)

// SyntaxError is returned for text that is not JSON.
type SyntaxError struct {
	// Offset is the number of bytes before the fault.
	Offset int64
	cause  error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%v at byte %d", e.cause, e.Offset) }

// Normalize returns one JSON value as I-JSON. Text that is I-JSON already is
// returned as it is, the same bytes, after one scan. In other text only what is
// at fault is changed: a lone surrogate and each invalid byte become U+FFFD,
// and of members with one name the last one stays, as in JavaScript. The error
// is a [SyntaxError], or [ErrDepth].
func Normalize(text []byte) ([]byte, error) {
	if jsontext.Value(text).IsValid() {
		if TooDeep(text) {
			return nil, ErrDepth
		}
		return text, nil
	}
	n := normalizer{dec: jsontext.NewDecoder(bytes.NewReader(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if err := n.run(); err != nil {
		return nil, err
	}
	return n.apply(text), nil
}

// TooDeep reports whether valid JSON is nested deeper than [MaxDepth]. It
// counts brackets first, which is much faster than to follow them.
func TooDeep(text []byte) bool {
	if bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte{'['}) <= MaxDepth {
		return false
	}
	return Depth(text) > MaxDepth
}

// Depth returns how deep JSON is nested: 0 for a string or a number, 1 for
// `[]`, 2 for `[{}]`.
func Depth(text []byte) int {
	deepest, depth := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// stringEnd returns the index behind the string that begins at i, or that of
// the end of the text.
func stringEnd(text []byte, i int) int {
	for at := i + 1; ; at++ {
		next := bytes.IndexByte(text[at:], '"')
		if next < 0 {
			return len(text)
		}
		begin := at
		at += next
		slashes := 0
		for at-slashes > begin && text[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1
		}
	}
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	with       []byte
}

// object is what was read of an open object.
type object struct {
	// starts is where each member begins.
	starts []int
	// last is the newest member of each name.
	last map[string]int
}

// normalizer finds what has to be changed in a text.
type normalizer struct {
	dec   *jsontext.Decoder
	edits []edit
	// open are the objects around the present value, the innermost last; the
	// entry of an array is nil.
	open []*object
}

// run reads the whole text. It does not recurse: the text may be nested deep.
func (n *normalizer) run() error {
	for first := true; first || len(n.open) > 0; first = false {
		if err := n.next(); err != nil {
			return n.explain(err)
		}
	}
	end := n.dec.InputOffset()
	if _, err := n.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return &SyntaxError{Offset: end, cause: errMore}
	}
	return nil
}

var errMore = errors.New("something follows the value")

// explain says where the text is not JSON.
func (n *normalizer) explain(err error) error {
	if errors.Is(err, ErrDepth) {
		return err
	}
	e := &SyntaxError{Offset: n.dec.InputOffset(), cause: err}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		e.Offset, e.cause = syntax.ByteOffset, syntax.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		e.cause = errors.New("it ends too early")
	}
	return e
}

// next reads a string, a number, a literal, or one bracket.
func (n *normalizer) next() error {
	switch n.dec.PeekKind() {
	case '{', '[', '}', ']':
		return n.bracket()
	}
	text, err := n.dec.ReadValue()
	if err != nil {
		return err
	}
	end := int(n.dec.InputOffset())
	start := end - len(text)
	if text[0] != '"' {
		return nil
	}
	plain, invalid := jsontext.AppendUnquote(nil, text)
	if invalid != nil {
		// It has put U+FFFD for what is not valid, so it can be quoted.
		quoted, err := jsontext.AppendQuote(nil, plain)
		if err != nil {
			return err
		}
		n.edits = append(n.edits, edit{start, end, quoted})
	}
	if n.isName() {
		n.name(string(plain), start)
	}
	return nil
}

// isName reports whether the string that was just read is the name of a
// member.
func (n *normalizer) isName() bool {
	kind, read := n.dec.StackIndex(n.dec.StackDepth())
	return kind == '{' && read%2 == 1
}

// name notes a member, and takes out the one of the same name before it.
func (n *normalizer) name(name string, start int) {
	o := n.open[len(n.open)-1]
	o.starts = append(o.starts, start)
	if before, repeated := o.last[name]; repeated {
		n.edits = append(n.edits, edit{start: o.starts[before], end: o.starts[before+1]})
	}
	o.last[name] = len(o.starts) - 1
}

func (n *normalizer) bracket() error {
	token, err := n.dec.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		n.open = append(n.open, &object{last: map[string]int{}})
	case '[':
		n.open = append(n.open, nil)
	default:
		n.open = n.open[:len(n.open)-1]
	}
	if len(n.open) > MaxDepth {
		return ErrDepth
	}
	return nil
}

// apply makes the changes. Those within a member that is taken out begin
// behind its start, and are passed over.
func (n *normalizer) apply(text []byte) []byte {
	slices.SortFunc(n.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	out := make([]byte, 0, len(text))
	at := 0
	for _, e := range n.edits {
		if e.start < at {
			continue
		}
		out = append(append(out, text[at:e.start]...), e.with...)
		at = e.end
	}
	return append(out, text[at:]...)
}

// Canonical returns JSON as RFC 8785 writes it: the keys in order, no spaces, one
// spelling of strings and numbers. What is not valid comes back as it is.
func Canonical(text []byte) []byte { return canonical(text) }

// CanonicalAsWritten is [Canonical] with numbers as they are written: large
// integers that a float64 cannot tell apart stay apart.
func CanonicalAsWritten(text []byte) []byte {
	return canonical(text, jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
}

func canonical(text []byte, options ...jsontext.Options) []byte {
	v := jsontext.Value(bytes.Clone(text))
	if v.Canonicalize(options...) != nil {
		return text
	}
	return v
}
