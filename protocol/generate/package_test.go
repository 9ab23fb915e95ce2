package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestReadPackage(t *testing.T) {
	t.Parallel()
	p, err := readPackage(fstest.MapFS{"a_test.go": {Data: []byte("no Go")}, "a.go": {Data: []byte(`package protocol
// Thing is a thing
// of two lines.
type Thing struct {
	// ID names it.
	ID   string
	Size int // in bytes
}
// These are not the doc of a constant.
const (
	// Red is warm.
	Red  Colour = "red"
	dark Colour = "dark"
)
// Version is the version.
const Version = -1
type Colour string
type thing string
`)}})
	if err != nil {
		t.Fatal(err)
	}
	want := &Package{
		Types: []string{"Thing", "Colour"},
		Docs:  map[string]string{"Thing": "Thing is a thing\nof two lines.", "Thing.ID": "ID names it.", "Thing.Size": "in bytes", "Colour": ""},
		Values: map[string][]Value{
			"Colour": {{"Red", "Red is warm.", `"red"`}},
			"":       {{"Version", "Version is the version.", "-1"}},
		},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
	for body, want := range map[string]string{
		"type T struct {":         "parse the source: a.go",
		"const A T = iota":        "constant A: a constant on the wire is a string or an integer, not iota",
		"const A T = 1.5":         "not 1.5",
		"const (\nA T = 1\nB\n)":  "a.go:2:1: constant B: write its value out",
		"const A = time.Duration": "not time.Duration",
	} {
		_, err := readPackage(fstest.MapFS{"a.go": {Data: []byte("package protocol\n" + body)}})
		checkError(t, err, want)
	}
}

// checkError fails unless err holds want; an empty want is no error.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got %v, want no error", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want an error with %q", err, want)
	}
}

// Types of a wire, each with a fault but the first two.
type (
	Sound struct {
		Colours []Colour          `json:"colours"`
		Many    map[string]*int64 `json:"many,omitempty"`
		Raw     json.RawMessage   `json:"raw"`
		Both    Either            `json:"both"   types:"boolean,string[]"`
		Left    chan int          `json:"-"`
	}
	Colour   string
	Either   any
	Shade    string
	Twice    string
	Untagged struct{ F string }
	Passes   struct {
		F time.Duration `json:"f"`
	}
	Channel struct {
		F chan int `json:"f"`
	}
	Numbers struct {
		F map[int]bool `json:"f"`
	}
	Objects struct {
		F map[string]Sound `json:"f"`
	}
	Opaque struct {
		F Either `json:"f"`
	}
	Unknown struct {
		F Either `json:"f" types:"date"`
	}
	Hidden struct {
		F thing `json:"f"`
	}
	thing string
)

// faulty is the source of those types.
func faulty() *Package {
	return &Package{
		Types: []string{"Sound", "Colour", "Either", "Shade", "Twice", "Untagged", "Passes", "Channel", "Numbers", "Objects", "Opaque", "Unknown", "Hidden"},
		Docs:  map[string]string{},
		Values: map[string][]Value{
			"Colour": {{Name: "Red", Literal: `"red"`}},
			"Twice":  {{Name: "A", Literal: `"a"`}, {Name: "B", Literal: `"a"`}},
		},
	}
}

func TestReach(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		root any
		want string
	}{
		{Sound{}, ""},
		{Shade(""), "type Shade has no constants"},
		{Twice(""), `constants A and B are both "a"`},
		{Untagged{}, "Untagged.F: needs a json tag"},
		{Passes{}, "Passes.F: time.Duration is no exported type of package protocol"},
		{Channel{}, "Channel.F: chan int has no JSON form"},
		{Numbers{}, "Numbers.F: a map's keys must be strings"},
		{Objects{}, "Objects.F: a map of Sound loses the order"},
		{Opaque{}, "Opaque.F: Either is used without a types or values tag"},
		{Unknown{}, `Unknown.F: "date" is not a JSON type`},
		{Hidden{}, "Hidden.F: main.thing is no exported type"},
	} {
		r := &reach{pkg: faulty(), types: map[string]reflect.Type{}, lists: true}
		checkError(t, r.add(reflect.TypeOf(tc.root)), tc.want)
	}
}

func TestReachAll(t *testing.T) {
	t.Parallel()
	_, _, err := reachAll(faulty(), nil)
	checkError(t, err, "type Sound is in no message and no file")
}

func TestMethodNames(t *testing.T) {
	t.Parallel()
	ask := protocol.Method{Name: "ask"}
	for _, tc := range []struct {
		constants []Value
		methods   []protocol.Method
		want      string
	}{
		{[]Value{{Name: "MethodAsk", Literal: `"ask"`}, {Name: "Version", Literal: "1"}}, []protocol.Method{ask}, ""},
		{[]Value{{Name: "MethodAsk", Literal: `"ask"`}}, nil, "constant MethodAsk: one string"},
		{[]Value{{Name: "MethodAsk", Literal: `"ask"`}}, []protocol.Method{ask, ask}, "constant MethodAsk: one string"},
		{[]Value{{Name: "MethodAsk", Literal: `"ask"`}, {Name: "MethodToo", Literal: `"ask"`}}, []protocol.Method{ask}, "constant MethodToo: one string"},
		{[]Value{{Name: "MethodOne", Literal: "1"}}, nil, "constant MethodOne: one string"},
		{nil, []protocol.Method{ask}, "method ask has a row in Methods but no constant"},
	} {
		_, err := methodNames(&Package{Values: map[string][]Value{"": tc.constants}}, tc.methods)
		checkError(t, err, tc.want)
	}
}

func TestListSettings_Errors(t *testing.T) {
	t.Parallel()
	type group struct {
		K int `json:"k"`
	}
	p := &Package{Docs: map[string]string{".K": "Doc.", ".Plain": "", ".Group": "A group.", "group.K": "Doc."}, Values: faulty().Values}
	for want, defaults := range map[string]any{
		"setting winnow.k: needs the tag title": struct {
			K int `json:"k"`
		}{1},
		"setting winnow.group.k: needs the tag title": struct {
			Group group `json:"group"`
		}{},
		"setting winnow.plain: needs a doc comment": struct {
			Plain int `json:"plain" title:"Plain"`
		}{},
		"setting winnow.k: every setting has a name of its own and a default": struct {
			K []int `json:"k" title:"K"`
		}{},
		`setting winnow.k: its default "blue" is none of its values`: struct {
			K Colour `json:"k" title:"K"`
		}{"blue"},
	} {
		_, err := listSettings(p, defaults)
		checkError(t, err, want)
	}
}

func TestField_limits(t *testing.T) {
	t.Parallel()
	for tag, want := range map[reflect.StructTag]string{`limits:"5"`: "want a lowest and a highest", `limits:"0,many"`: "invalid syntax", `limits:"0,1"`: ""} {
		f := Field{StructField: reflect.StructField{Type: reflect.TypeFor[int](), Tag: tag}}
		_, err := f.schema()
		checkError(t, err, want)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"one\ntwo\n\nthree":       "one two\n\nthree",
		"a list:\n\n  - x\n  - y": "a list:\n\n  - x\n  - y",
		"\t{\n\t  \"a\": 1\n\t}":  "```\n{\n  \"a\": 1\n}\n```",
		"":                        "",
	} {
		if got := markdown(in); got != want {
			t.Errorf("markdown(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPlainDoc(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, doc, want string }{
		{"Red", "Red: a warm one.", "A warm one."},
		{"Red", "Red is warm.", "Warm."},
		{"Red", "Redder than most.", "Redder than most."},
		{"Red", "Über all.", "Über all."},
		{"Red", "Red", "Red"},
		{"Red", "", ""},
	} {
		if got := plainDoc(tc.name, tc.doc); got != tc.want {
			t.Errorf("plainDoc(%q, %q) = %q, want %q", tc.name, tc.doc, got, tc.want)
		}
	}
}
