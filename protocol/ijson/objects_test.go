package ijson_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// TestEach: members are told apart by their exact names, and names are read as
// any JSON reader does.
func TestEach(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]string{
		`{}`:                        nil,
		` null `:                    nil,
		` { "a" : 1 , "A":[2,{}]} `: {`a=1`, `A=[2,{}]`},
		`{"n\u0061me":"x"}`:         {`name="x"`},
		`{"name":1,"name":2}`:       {`name=1`, `name=2`},
		"{\"a\":\"\xff\"}":          {"a=\"\xff\""},
	} {
		var got []string
		err := ijson.Each(json.RawMessage(raw), func(name []byte, value json.RawMessage) {
			got = append(got, fmt.Sprintf("%s=%s", name, value))
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{``, `7`, `[]`, `"a"`, `{`, `{"a"}`, `{"a":1,}`, `{} {}`, `null 1`} {
		if err := ijson.Each(json.RawMessage(raw), func([]byte, json.RawMessage) {}); err == nil {
			t.Errorf("%s: got no error", raw)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{`"a\u0062"`: "ab", `7`: "", ``: "", `"`: "", `"\ud83d"`: "\uFFFD"} {
		if got := ijson.Text(json.RawMessage(raw)); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

func TestMember(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"Name":1,"name":2,"NAME":3}`: "2", `{"name":1,"name":2}`: "2", `{"NAME":3}`: "", `{"name":1`: "", `7`: "",
	} {
		if got := ijson.LastMember(json.RawMessage(raw), "name"); string(got) != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}
