package ijson

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Words returns an error of encoding/json, or of the library that reads the wire, in
// words for who wrote the text: what
// must be what, and no type of Go's. Another error is returned as it is.
func Words(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var semantic *jsonexp.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		where := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", ".")
		if semantic.GoType == nil {
			return fmt.Errorf("%s is not what it has to be", cmp.Or(where, "the JSON"))
		}
		return fmt.Errorf("%s must be %s, not %s", cmp.Or(where, "the JSON"), kindWords(semantic.GoType), valueWords(semantic.JSONKind))
	case errors.As(err, &syntactic) && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("what stands at byte %d is no JSON", syntactic.ByteOffset)
	case errors.As(err, &kind):
		value, _, _ := strings.Cut(kind.Value, " ")
		value = cmp.Or(map[string]string{"array": "a list", "object": "an object", "string": "a text", "bool": "true or false"}[value], "such a "+value)
		return fmt.Errorf("%s must be %s, not %s", cmp.Or(kind.Field, "the JSON"), kindWords(kind.Type), value)
	case errors.As(err, &syntax) && syntax.Error() != "unexpected end of JSON input":
		return fmt.Errorf("what stands at byte %d is no JSON", syntax.Offset)
	case syntax != nil, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the JSON is cut short")
	}
	if err != nil {
		if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return fmt.Errorf("there is no key %s", name)
		}
	}
	return err
}

func valueWords(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "such a text"
	case '0':
		return "such a number"
	case '[':
		return "a list"
	}
	return "an object"
}

func kindWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Pointer:
		return kindWords(t.Elem())
	}
	return "a whole number"
}
