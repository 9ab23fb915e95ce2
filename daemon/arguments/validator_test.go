package arguments_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/arguments"
)

func TestValidator_saysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","required":["owner"],"additionalProperties":false,"properties":{
		"owner":{"type":"string"},"n":{"type":"integer","minimum":1},"kind":{"enum":["a","b"]},
		"items":{"type":"array","items":{"$ref":"#/$defs/item"}}},
		"$defs":{"item":{"type":"object","required":["id"],"properties":{"id":{"type":"number"}}}}}`
	var v arguments.Validator
	for args, want := range map[string][]string{
		`{"owner":"x","n":3,"items":[{"id":12345678901234567890}]}`: nil,
		`{}`:                        {"owner"},
		`{"owner":7}`:               {"/owner: got number, want string"},
		`{"owner":"x","n":0}`:       {"/n: "},
		`{"owner":"x","n":1.5}`:     {"/n: got number, want integer"},
		`{"owner":"x","kind":"c"}`:  {"/kind: value must be one of 'a', 'b'"},
		`{"owner":"x","extra":1}`:   {"additional properties 'extra' not allowed"},
		`{"items":[{"id":1},{}]}`:   {"owner", "/items/1: "},
		`{"owner":"x","items":[7]}`: {"/items/0: got number, want object"},
		`[]`:                        {"got array, want object"},
		`{"owner":`:                 {"not JSON"},
	} {
		got := fmt.Sprint(v.Check(json.RawMessage(schema), json.RawMessage(args)))
		if (want == nil) != (got == "[]") {
			t.Errorf("%s: %s", args, got)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %s, want %s", args, got, part)
			}
		}
	}
}

// Real servers send schemas that are none. Their calls must go through.
func TestValidator_aBrokenSchemaAdmitsEverything(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(secret, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var v arguments.Validator
	for _, schema := range []string{
		``, `{`, `7`, `null`, `"x"`, `[]`,
		`{"type":"objekt"}`, `{"type":{"a":1}}`, `{"required":"owner"}`, `{"pattern":"(?<=x)y"}`,
		`{"properties":{"a":{"pattern":"^(?!x)"}}}`, `{"$ref":"#/nowhere"}`, `{"$schema":"http://example.com/own"}`,
		`{"$ref":"https://example.com/schema.json"}`, `{"$ref":"file://` + filepath.ToSlash(secret) + `"}`,
		`{"$ref":"#"}`, `{"minimum":"one"}`,
	} {
		if p := v.Check(json.RawMessage(schema), json.RawMessage(`{"a":1}`)); p != nil {
			t.Errorf("%s: %v", schema, p)
		}
	}
}

func TestValidator_tellsAFewProblemsOnly(t *testing.T) {
	t.Parallel()
	var v arguments.Validator
	items := strings.TrimSuffix(strings.Repeat(`"x",`, 500), ",")
	p := v.Check(json.RawMessage(`{"items":{"type":"number"}}`), json.RawMessage("["+items+"]"))
	if len(p) == 0 || len(p) > 8 {
		t.Errorf("%d problems", len(p))
	}
	if p := v.Check(json.RawMessage(`{"properties":{"a/b~c":{"type":"number"}}}`), json.RawMessage(`{"a/b~c":"x"}`)); len(p) != 1 || p[0].Path != "/a~1b~0c" {
		t.Errorf("%v", p)
	}
}

func TestValidator_concurrently(t *testing.T) {
	t.Parallel()
	var (
		v  arguments.Validator
		wg sync.WaitGroup
	)
	for i := range 600 { // more than are kept
		wg.Go(func() {
			schema := fmt.Sprintf(`{"properties":{"p%d":{"type":"string"}}}`, i%300)
			args := fmt.Sprintf(`{"p%d":1}`, i%300)
			if p := v.Check(json.RawMessage(schema), json.RawMessage(args)); len(p) != 1 {
				t.Errorf("%s: %v", args, p)
			}
		})
	}
	wg.Wait()
}
