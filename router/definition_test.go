package router

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
)

// TestParseDefinition reads what servers really send, and asks no more than a
// name.
func TestParseDefinition(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"type":"object"}`)
	empty := json.RawMessage(emptySchema)
	tests := []struct {
		name string
		raw  string
		want Definition // Raw is filled in
	}{
		{"all of it", `{"name":"a","title":"T","description":"D","inputSchema":{"type":"object"},` +
			`"annotations":{"title":"no","readOnlyHint":true,"destructiveHint":false},"_meta":{"anthropic/alwaysLoad":true}}`,
			Definition{Name: "a", Title: "T", Description: "D", Schema: object, AsksAlwaysLoad: true,
				Annotations: json.RawMessage(`{"title":"no","readOnlyHint":true,"destructiveHint":false}`),
				ReadOnly:    ranker.Yes, Destructive: ranker.No}},
		{"a name", `{"name":"a"}`, Definition{Name: "a", Schema: empty}},
		{"the annotations' title", `{"name":"a","annotations":{"title":"T"}}`,
			Definition{Name: "a", Title: "T", Schema: empty, Annotations: json.RawMessage(`{"title":"T"}`)}},
		{"members of other types", `{"name":"a","title":1,"description":["x"],"inputSchema":"none","annotations":7,"_meta":[1]}`,
			Definition{Name: "a", Schema: empty}},
		{"hints of other types", `{"name":"a","annotations":{"readOnlyHint":"yes","destructiveHint":1}}`,
			Definition{Name: "a", Schema: empty, Annotations: json.RawMessage(`{"readOnlyHint":"yes","destructiveHint":1}`)}},
		{"nulls", `{"name":"a","title":null,"description":null,"inputSchema":null,"annotations":null,"_meta":null}`,
			Definition{Name: "a", Schema: empty}},
		{"a schema that is a boolean", `{"name":"a","inputSchema":true}`, Definition{Name: "a", Schema: empty}},
		{"a schema that no arguments meet", `{"name":"a","inputSchema":{"type":"string"}}`, Definition{Name: "a", Schema: empty}},
		{"a schema of several types", `{"name":"a","inputSchema":{"type":["object","null"]}}`,
			Definition{Name: "a", Schema: json.RawMessage(`{"type":["object","null"]}`)}},
		{"spaces and unknown members", "\n{ \"x\" : 1, \"name\" : \"a\" , \"inputSchema\" : { \"type\" :\t\"object\" } }",
			Definition{Name: "a", Schema: json.RawMessage("{ \"type\" :\t\"object\" }")}},
		{"alwaysLoad that is no true", `{"name":"a","_meta":{"anthropic/alwaysLoad":"true"}}`, Definition{Name: "a", Schema: empty}},
		{"a description that is no UTF-8", "{\"name\":\"a\",\"description\":\"\xff\"}", Definition{Name: "a", Description: "\uFFFD", Schema: empty}},
	}
	for _, tt := range tests {
		got, err := parseDefinition(json.RawMessage(tt.raw))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		tt.want.Raw = json.RawMessage(tt.raw)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

// TestParseDefinition_Refuses says why a tool cannot be read.
func TestParseDefinition_Refuses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		``: "no tool object", `{`: "no tool object", `{"name":"a"`: "no tool object", `{"name":"a"} x`: "no tool object",
		`[]`: "no tool object", `"a"`: "no tool object", `7`: "no tool object",
		`null`: "no name", `{}`: "no name", `{"name":""}`: "no name", `{"name":" \t"}`: "no name", `{"name":7}`: "no name",
		`{"name":"a\u0000b"}`: "NUL",
	} {
		if _, err := parseDefinition(json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

// TestParameters reads properties in their order, nested ones behind their
// parent, within bounds.
func TestParameters(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, want string }{
		{"none", `{"type":"object"}`, ""},
		{"in their order", `{"properties":{"b":{"description":"B"},"a":{},"c":true}}`, "b=B a= c="},
		{"nested", `{"properties":{"a":{"properties":{"x":{"description":"X"}}},"b":{}}}`, "a= x=X b="},
		{"items", `{"properties":{"list":{"type":"array","items":{"properties":{"x":{}}}}}}`, "list= x="},
		{"alternatives", `{"anyOf":[{"properties":{"a":{}}}],"oneOf":[{"properties":{"b":{}}}],"allOf":[{"properties":{"c":{}}},7]}`, "a= b= c="},
		{"a property called properties", `{"properties":{"properties":{"type":"object"},"items":{"description":"I"}}}`, "properties= items=I"},
		{"members of other types", `{"properties":{"a":{"description":7,"items":[1],"anyOf":{}}},"items":3}`, "a="},
		{"properties that are a list", `{"properties":["a"]}`, ""},
		{"a name twice", `{"properties":{"a":{"description":"1"},"a":{"description":"2"}}}`, "a=1 a=2"},
	}
	for _, tt := range tests {
		var got []string
		_, found := readSchema(json.RawMessage(tt.schema))
		for _, p := range found {
			got = append(got, p.Name+"="+p.Description)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	deep := strings.Repeat(`{"properties":{"x":`, 40) + "{}" + strings.Repeat("}}", 40)
	_, found := readSchema(json.RawMessage(deep))
	if got := len(found); got != maxParameterDepth+1 {
		t.Errorf("%d properties of a deep schema", got)
	}
	var wide strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&wide, `"p%d":{},`, i)
	}
	raw := json.RawMessage(`{"properties":{` + strings.TrimSuffix(wide.String(), ",") + `}}`)
	if _, found := readSchema(raw); len(found) != maxParameters {
		t.Errorf("%d properties of a wide schema", len(found))
	}
}

// TestParameters_Required marks what no call goes without.
func TestParameters_Required(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, schema, want string }{
		{"none", `{"properties":{"a":{}}}`, "a"},
		{"before and behind", `{"required":["a"],"properties":{"a":{},"b":{}}}`, "a! b"},
		{"within what is required", `{"properties":{"p":{"properties":{"id":{},"x":{}},"required":["id"]}},"required":["p"]}`, "p! id! x"},
		{"within what is not", `{"properties":{"p":{"properties":{"id":{}},"required":["id"]}}}`, "p id"},
		{"items", `{"properties":{"l":{"items":{"properties":{"id":{}},"required":["id"]}}},"required":["l"]}`, "l! id"},
		{"alternatives", `{"anyOf":[{"properties":{"a":{}},"required":["a"]}]}`, "a"},
		{"no list", `{"properties":{"a":{}},"required":"a"}`, "a"},
		{"no names", `{"properties":{"a":{}},"required":[1,null,["a"]]}`, "a"},
	} {
		var got []string
		_, found := readSchema(json.RawMessage(tt.schema))
		for _, p := range found {
			if p.Required {
				p.Name += "!"
			}
			got = append(got, p.Name)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, strings.Join(got, " "), tt.want)
		}
	}
}

// TestTool_Signature is read at a glance, whatever the schema.
func TestTool_Signature(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, want string }{
		{"none", `{"type":"object"}`, "(no arguments)"},
		{"required and not", `{"properties":{"path":{"type":"string"},"head":{"type":"number"}},"required":["path"]}`,
			"(path: string, head?: number)"},
		{"enum", `{"properties":{"state":{"enum":["open","closed",1]}}}`, `(state?: "open"|"closed"|1)`},
		{"a long enum", `{"properties":{"s":{"type":"string","enum":[1,2,3,4,5]}}}`, "(s?: string)"},
		{"array", `{"properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"string"}}},"b":{"type":"array"}}}`,
			"(a?: string[][], b?: array)"},
		{"several types", `{"properties":{"a":{"type":["string","null"]}}}`, "(a?: string|null)"},
		{"no type", `{"properties":{"a":{},"b":true,"c":{"type":7}}}`, "(a?: any, b?: any, c?: any)"},
		{"required of another type", `{"properties":{"a":{"type":"string"}},"required":"a"}`, "(a?: string)"},
		{"many", `{"properties":{"a":{},"b":{},"c":{},"d":{},"e":{},"f":{},"g":{},"h":{},"i":{},"j":{},"k":{},"l":{},"m":{}}}`,
			"(a?: any, b?: any, c?: any, d?: any, e?: any, f?: any, g?: any, h?: any, i?: any, j?: any, k?: any, l?: any, …)"},
		{"no schema", `7`, "(…)"},
	}
	for _, tt := range tests {
		tool := Tool{Definition: Definition{Schema: json.RawMessage(tt.schema)}}
		if got := tool.Signature(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// FuzzParseDefinition: any bytes are a tool or an error, never a panic; what
// is kept is kept byte for byte, and can be presented.
func FuzzParseDefinition(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","description":"d","inputSchema":{"type":"object","properties":{"p":{"description":"q"}}}}`,
		`{"name":"a","inputSchema":{ "$ref":"#/x", "oneOf":[{}] }}`, `{"name":7}`, `[]`, `{`, `null`, "{\"name\":\"\xff\"}",
		`{"name":"a","annotations":{"readOnlyHint":true,"title":1},"_meta":{"anthropic/alwaysLoad":true}}`,
		`{"name":"a","inputSchema":{"properties":{"a":{"items":{"properties":{"b":{"anyOf":[{"properties":{"c":1}}]}}}}}}}`,
		`{"name":"a","inputSchema":{"properties":{"a":{"type":["string"],"enum":[1]}},"required":["a"]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		given := string(raw)
		d, err := parseDefinition(raw)
		if err != nil {
			return
		}
		if string(d.Raw) != given || string(raw) != given {
			t.Error("the raw tool was changed")
		}
		if d.Name == "" || strings.Contains(d.Name, identitySeparator) || !json.Valid(d.Schema) {
			t.Errorf("name %q, schema %q", d.Name, d.Schema)
		}
		if string(d.Schema) != emptySchema && !strings.Contains(given, string(d.Schema)) {
			t.Errorf("the schema %q is not in %q", d.Schema, given)
		}
		if len(d.Parameters) > maxParameters {
			t.Errorf("%d parameters", len(d.Parameters))
		}
		tool := Tool{Definition: d}
		if s := tool.Signature(); !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
			t.Errorf("signature %q", s)
		}
		var back struct {
			Name, Description string
			InputSchema       json.RawMessage
		}
		if err := json.Unmarshal(PresentedJSON(d.Name, d.Description, d.Schema), &back); err != nil {
			t.Fatalf("presented as no JSON: %v", err)
		}
		if back.Name != d.Name || back.Description != d.Description {
			t.Errorf("presented as %q and %q, is %q and %q", back.Name, back.Description, d.Name, d.Description)
		}
	})
}
