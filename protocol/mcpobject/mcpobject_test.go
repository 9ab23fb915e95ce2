package mcpobject_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol/mcpobject"
)

// TestRead: a member is taken by its exact name, the last one where it repeats,
// and what is not known is handed on in its order.
func TestRead(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]struct {
		members string
		others  []string
	}{
		`null`: {"       ", nil},
		`{"name":"n","title":"t","description":"d","inputSchema":1,"outputSchema":2,"annotations":3,"arguments":4,"_meta":5}`: {
			`"n" "t" "d" 1 2 3 4 5`, nil,
		},
		`{"name":"a","Name":"b","name":"c","x":[1]}`: {`"c"       `, []string{`Name="b"`, `x=[1]`}},
	} {
		var others []string
		d, err := mcpobject.Read(json.RawMessage(raw), func(name []byte, value json.RawMessage) {
			others = append(others, fmt.Sprintf("%s=%s", name, value))
		})
		got := fmt.Sprintf("%s %s %s %s %s %s %s %s", d.Name, d.Title, d.Description, d.InputSchema, d.OutputSchema, d.Annotations, d.Arguments, d.Meta)
		if err != nil || got != want.members || !slices.Equal(others, want.others) {
			t.Errorf("%s: got %s, others %q, %v; want %s, %q", raw, got, others, err, want.members, want.others)
		}
	}
	if _, err := mcpobject.Read(json.RawMessage(`[]`), nil); err == nil {
		t.Error("a list: got no error, want one")
	}
}
