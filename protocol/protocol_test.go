package protocol_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// wireTypes returns the types that messages begin with, and the two that ride
// along, each once.
func wireTypes() []reflect.Type {
	zeros := []any{protocol.ErrorData{}, protocol.Settings{}}
	for _, m := range protocol.Methods() {
		zeros = append(zeros, m.Params)
		if m.Result != nil {
			zeros = append(zeros, m.Result)
		}
	}
	seen := map[reflect.Type]bool{}
	var types []reflect.Type
	for _, zero := range zeros {
		if t := reflect.TypeOf(zero); !seen[t] {
			seen[t] = true
			types = append(types, t)
		}
	}
	return types
}

func TestMethods_Names(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^(\$/|[a-z]+/)?[a-z][A-Za-z]*$`)
	for _, m := range protocol.Methods() {
		if !name.MatchString(m.Name) {
			t.Errorf("method %q is not noun/verb", m.Name)
		}
		switch m.Direction {
		case protocol.ToServer, protocol.ToClient, protocol.Both:
		default:
			t.Errorf("method %s has the direction %q", m.Name, m.Direction)
		}
	}
}

// A peer that knows nothing of a type must be able to tell params from a
// single value or a list.
func TestMethods_ParamsAndResultsAreObjects(t *testing.T) {
	t.Parallel()
	for _, typ := range wireTypes() {
		text, err := json.Marshal(reflect.New(typ).Interface())
		if err != nil {
			t.Errorf("marshal %s: %v", typ, err)
			continue
		}
		if !bytes.HasPrefix(text, []byte("{")) {
			t.Errorf("%s is %s on the wire, want an object", typ, text)
		}
	}
}

func TestWire_ZeroValuesSurvive(t *testing.T) {
	t.Parallel()
	for _, typ := range wireTypes() {
		text, err := json.Marshal(reflect.Zero(typ).Interface())
		if err != nil {
			t.Errorf("marshal %s: %v", typ, err)
			continue
		}
		back := reflect.New(typ)
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(back.Interface()); err != nil {
			t.Errorf("read back %s from %s: %v", typ, text, err)
			continue
		}
		again, err := json.Marshal(back.Interface())
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s became %s (%v), was %s", typ, again, err, text)
		}
	}
}

func TestWire_FieldNames(t *testing.T) {
	t.Parallel()
	camel := regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	seen := map[reflect.Type]bool{}
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(typ.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[typ] {
			return
		}
		seen[typ] = true
		for field := range typ.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !field.Anonymous && !camel.MatchString(name) {
				t.Errorf("%s.%s is %q on the wire, want camelCase", typ, field.Name, name)
			}
			walk(field.Type)
		}
	}
	for _, typ := range wireTypes() {
		walk(typ)
	}
	if len(seen) < len(wireTypes()) {
		t.Errorf("looked at %d types, want at least %d", len(seen), len(wireTypes()))
	}
}

func TestDefaultSettings_LieWithinTheirLimits(t *testing.T) {
	t.Parallel()
	checked := checkLimits(t, reflect.ValueOf(protocol.DefaultSettings()))
	if checked < 5 {
		t.Errorf("found %d settings with limits, want those of the window at least", checked)
	}
}

// checkLimits compares each number with the bounds in its tag and counts them.
func checkLimits(t *testing.T, group reflect.Value) (checked int) {
	t.Helper()
	for field := range group.Type().Fields() {
		value := group.FieldByIndex(field.Index)
		if value.Kind() == reflect.Struct {
			checked += checkLimits(t, value)
			continue
		}
		if !value.CanInt() {
			continue
		}
		low, high, ok := strings.Cut(field.Tag.Get("limits"), ",")
		lowest, lowErr := strconv.ParseInt(low, 10, 64)
		highest, highErr := strconv.ParseInt(high, 10, 64)
		if !ok || lowErr != nil || highErr != nil {
			t.Errorf("setting %s is a number without limits", field.Name)
			continue
		}
		if n := value.Int(); n < lowest || n > highest {
			t.Errorf("the default of %s is %d, outside %d to %d", field.Name, n, lowest, highest)
		}
		checked++
	}
	return checked
}

// TestWithNext: a message and its next step are sentences, and what the message says
// already is not said again.
func TestWithNext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ message, next, want string }{
		{"it failed", "Restart it.", "it failed. Restart it."},
		{"It failed!", "Restart it.", "It failed! Restart it."},
		{"it starts when the host is ready", "starts when the host is ready", "it starts when the host is ready"},
		{"It failed. Restart it.", "Restart it.", "It failed. Restart it."},
		{"it failed", "", "it failed"},
		{"", "Restart it.", ""},
	} {
		if got := protocol.WithNext(tt.message, tt.next); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
