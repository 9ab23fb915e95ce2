package arguments_test

import (
	"context"
	"encoding/json"
	"errors"
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
		got := fmt.Sprint(check(&v, json.RawMessage(schema), json.RawMessage(args)))
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
		if p := check(&v, json.RawMessage(schema), json.RawMessage(`{"a":1}`)); p != nil {
			t.Errorf("%s: %v", schema, p)
		}
	}
}

func TestValidator_tellsAFewProblemsOnly(t *testing.T) {
	t.Parallel()
	var v arguments.Validator
	items := strings.TrimSuffix(strings.Repeat(`"x",`, 500), ",")
	p := check(&v, json.RawMessage(`{"items":{"type":"number"}}`), json.RawMessage("["+items+"]"))
	if len(p) == 0 || len(p) > 8 {
		t.Errorf("%d problems", len(p))
	}
	if p := check(&v, json.RawMessage(`{"properties":{"a/b~c":{"type":"number"}}}`), json.RawMessage(`{"a/b~c":"x"}`)); len(p) != 1 || p[0].Path != "/a~1b~0c" {
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
			if p := check(&v, json.RawMessage(schema), json.RawMessage(args)); len(p) != 1 {
				t.Errorf("%s: %v", args, p)
			}
		})
	}
	wg.Wait()
}

// TestValidator_bounded: what a server's schema asks for has an end, and a
// caller that gives up is not held.
func TestValidator_bounded(t *testing.T) {
	t.Parallel()
	var v arguments.Validator
	const schema = `{"properties":{"a":{"pattern":"(y?){900}y{900}z"},"b":{"type":"number"}}}`
	long := json.RawMessage(`{"a":"` + strings.Repeat("y", 1<<20) + `","b":"x"}`)
	problems, err := v.Check(t.Context(), json.RawMessage(schema), long)
	if err != nil || len(problems) != 1 || problems[0].Path != "/b" {
		t.Errorf("got %v, %v; want the one about b", problems, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Check(gone, json.RawMessage(schema), long); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if short := check(&v, json.RawMessage(schema), json.RawMessage(`{"a":"y"}`)); len(short) != 1 || short[0].Path != "/a" {
		t.Errorf("a short text: got %v, want the pattern to be tried", short)
	}
}

// check checks without giving up.
func check(v *arguments.Validator, schema, args json.RawMessage) []arguments.Problem {
	problems, _ := v.Check(context.Background(), schema, args) // fails for a context that ends
	return problems
}
