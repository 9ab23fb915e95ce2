package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONSchema(t *testing.T) {
	t.Parallel()
	pkg := parse(t, `
// WinnowFile is for Go's readers.
type WinnowFile struct {
	// Servers by 'name'.
	Servers map[string]Entry 'json:"servers"'
}
// Entry is one server.
type Entry struct {
	// How.
	Kind Kind 'json:"kind,omitempty"'
	Seconds *float64 'json:"seconds,omitempty" limits:"1,3600"'
	Always X 'json:"always,omitempty" types:"boolean,string[]"'
	Env map[string]X 'json:"env,omitempty" values:"string,null"'
	Raw any 'json:"raw,omitempty"'
}
// Kind is a kind.
type Kind string
const (
	// KindA: the first.
	KindA Kind = "a"
)
type Unused struct {}`)
	got, err := jsonSchema(pkg, "WinnowFile")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Ref         string                     `json:"$ref"`
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(got, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Ref != "#/definitions/WinnowFile" || !strings.HasSuffix(string(got), "}\n") {
		t.Errorf("got $ref %q in\n%s", schema.Ref, got)
	}
	want := map[string]string{
		"WinnowFile": `{"type":"object","properties":{"servers":{"type":"object","additionalProperties":{"$ref":"#/definitions/Entry"},` +
			"\"description\":\"Servers by name.\",\"markdownDescription\":\"Servers by `name`.\"}},\"required\":[\"servers\"],\"additionalProperties\":false}",
		"Entry": `{"type":"object","description":"One server.","properties":{` +
			`"kind":{"allOf":[{"$ref":"#/definitions/Kind"}],"description":"How."},` +
			`"seconds":{"type":"number","minimum":1,"maximum":3600},` +
			`"always":{"anyOf":[{"type":"boolean"},{"type":"array","items":{"type":"string"}}]},` +
			`"env":{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"null"}]}},` +
			`"raw":{}},"additionalProperties":false}`,
		"Kind": `{"enum":["a"],"description":"A kind.","markdownEnumDescriptions":["The first."]}`,
	}
	if len(schema.Definitions) != len(want) {
		t.Errorf("got %d definitions, want %d", len(schema.Definitions), len(want))
	}
	for name, definition := range want {
		if got := compact(t, schema.Definitions[name]); got != definition {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, definition)
		}
	}
}

// compact takes the white space out of a JSON text.
func compact(t *testing.T, text json.RawMessage) string {
	t.Helper()
	out, err := encode(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestJSONSchema_Errors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"type WinnowFile struct { Base }\ntype Base struct {}":               "embeds no other",
		`type WinnowFile struct { K int 'json:"k,omitempty" limits:"a,b"' }`: "type WinnowFile: field k: limits tag",
	} {
		_, err := jsonSchema(parse(t, body), "WinnowFile")
		checkError(t, err, want)
	}
}
