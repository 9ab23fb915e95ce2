package main

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// sourceFS turns the body of a source file into a package to parse. Tags are
// written in single quotes, which Go source has no other use for here.
func sourceFS(body string) fstest.MapFS {
	text := "package protocol\n" + strings.ReplaceAll(body, "'", "`")
	return fstest.MapFS{"a.go": {Data: []byte(text)}}
}

// parse reads declarations that must be right.
func parse(t *testing.T, body string) *Package {
	t.Helper()
	pkg, err := parsePackage(sourceFS(body))
	if err != nil {
		t.Fatalf("parse:\n%s\n%v", body, err)
	}
	return pkg
}

func TestParsePackage_Struct(t *testing.T) {
	t.Parallel()
	pkg := parse(t, `
// Thing is a thing
// of two lines.
type Thing struct {
	Base
	// ID names it.
	ID   string 'json:"id" scope:"machine"'
	Size *int64 'json:"size,omitempty"' // in bytes
	Tags []Tag  'json:"tags,omitzero"'
	Name, Title string 'json:"-"'
}`)
	want := &Type{
		Name: "Thing",
		Doc:  "Thing is a thing\nof two lines.",
		Fields: []Field{
			{Type: &Ref{Form: Named, Name: "Base"}},
			{JSON: "id", Doc: "ID names it.", Type: &Ref{Form: String}, Tag: `json:"id" scope:"machine"`},
			{JSON: "size", Doc: "in bytes", Type: &Ref{Form: Nullable, Elem: &Ref{Form: Integer}}, Optional: true, Tag: `json:"size,omitempty"`},
			{JSON: "tags", Type: &Ref{Form: List, Elem: &Ref{Form: Named, Name: "Tag"}}, Optional: true, Tag: `json:"tags,omitzero"`},
		},
	}
	if got := pkg.Type("Thing"); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParsePackage_Constants(t *testing.T) {
	t.Parallel()
	pkg := parse(t, `
// Version is the version.
const Version = 1

// These are not the doc of a constant.
const (
	// Red is warm.
	Red  Colour = "red"
	Blue Colour = "blue"
	dark Colour = "dark"
)
const Lost Code = -32700
type Colour string
type Code int32
type Whatever any`)
	if want := []Value{{Name: "Version", Doc: "Version is the version.", Literal: "1"}}; !reflect.DeepEqual(pkg.Constants, want) {
		t.Errorf("constants: got %+v, want %+v", pkg.Constants, want)
	}
	colours := []Value{
		{Name: "Red", Doc: "Red is warm.", Type: "Colour", Literal: `"red"`},
		{Name: "Blue", Type: "Colour", Literal: `"blue"`},
	}
	if got := pkg.Type("Colour"); got.Kind != StringEnum || !reflect.DeepEqual(got.Values, colours) {
		t.Errorf("Colour: got %+v, want the strings %+v", got, colours)
	}
	if got := pkg.Type("Code"); got.Kind != IntEnum || got.Values[0].Literal != "-32700" {
		t.Errorf("Code: got %+v, want the integer -32700", got)
	}
	if got := pkg.Type("Whatever"); got.Kind != Opaque {
		t.Errorf("Whatever: got kind %d, want Opaque", got.Kind)
	}
}

func TestParsePackage_Refs(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]*Ref{
		`json.RawMessage 'json:"f"'`:         {Form: Any},
		`any 'json:"f"'`:                     {Form: Any},
		`float64 'json:"f"'`:                 {Form: Number},
		`map[string]bool 'json:"f"'`:         {Form: Map, Elem: &Ref{Form: Boolean}},
		`*[]string 'json:"f"'`:               {Form: Nullable, Elem: &Ref{Form: List, Elem: &Ref{Form: String}}},
		`X 'json:"f" types:"null,string[]"'`: {Form: OneOf, Alts: []*Ref{{Form: Null}, {Form: List, Elem: &Ref{Form: String}}}},
		`map[string]X 'json:"f" values:"number,boolean,integer"'`: {Form: Map, Elem: &Ref{Form: OneOf, Alts: []*Ref{
			{Form: Number}, {Form: Boolean}, {Form: Integer},
		}}},
	} {
		pkg := parse(t, "type T struct { F "+field+" }")
		if got := pkg.Type("T").Fields[0].Type; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", field, got, want)
		}
	}
}

func TestParsePackage_Errors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, body, want string }{
		{"syntax", `type T struct {`, "parse the source: a.go"},
		{"duration", `type T struct { F time.Duration 'json:"f"' }`, "a.go:2:17: time.Duration hides its unit"},
		{"other package", `type T struct { F url.URL 'json:"f"' }`, "a type of another package"},
		{"channel", `type T struct { F chan int 'json:"f"' }`, "has no JSON form"},
		{"integer keys", `type T struct { F map[int]string 'json:"f"' }`, "keys must be strings"},
		{"unexported type", `type T struct { F []thing 'json:"f"' }`, "thing is not exported"},
		{"no tag", `type T struct { F string }`, "field F: needs a json tag"},
		{"unexported field", `type T struct { f string 'json:"f"' }`, "field f: has a json tag"},
		{"unknown form", `type T struct { F X 'json:"f" types:"date"' }`, `types tag: "date" is not a JSON type`},
		{"unknown value form", `type T struct { F X 'json:"f" values:"date"' }`, `values tag: "date"`},
		{"function type", `type T func()`, "type T: a type is a struct"},
		{"type of a bool", `type T bool`, "type T: a type is a struct"},
		{"iota", `const A T = iota`, "constant A: a constant on the wire is a literal"},
		{"value left out", "const (\nA T = 1\nB\n)", "constant B: write its value out"},
		{"float", `const A T = 1.5`, "not FLOAT"},
		{"no such type", `const A T = 1`, "constant A: there is no type T"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := parsePackage(sourceFS(tc.body))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestParsePackage_LeavesOut(t *testing.T) {
	t.Parallel()
	fsys := sourceFS("type hidden struct{}\nvar V = 1\nfunc F() {}\ntype Method struct { Params any }")
	fsys["a_test.go"] = &fstest.MapFile{Data: []byte("package protocol\ntype InTest struct{}")}
	pkg, err := parsePackage(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkg.Types)+len(pkg.Constants) != 0 {
		t.Errorf("got %+v, want nothing", pkg)
	}
}
