package config

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

func TestJSONDoc_NonStandard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"a": [1, "//"]}`: -1, `{"a": 1,}`: 7, "[1, /* a */ 2]": 4, "[1]\n// end": 4, `["/*", 1,]`: 8,
	} {
		doc, failure := jsonc.Parse([]byte(text))
		if failure != nil {
			t.Fatal(failure.Message)
		}
		at, found := nonStandard(doc)
		if found != (want >= 0) || found && at.offset != want {
			t.Errorf("%s: got %d %t, want %d", text, at.offset, found, want)
		}
	}
}

// TestJSONNode: duplicates are kept, and the last of them counts.
func TestJSONNode(t *testing.T) {
	t.Parallel()
	doc, failure := jsonc.Parse([]byte(`{"a": 1, "\u0061": [true, null, "x\n"], "b": -1.50e3}`))
	if failure != nil {
		t.Fatal(failure.Message)
	}
	n := jsonNode(doc.Root)
	if len(n.members) != 3 || n.members[1].key != "a" || n.members[2].value.text != "-1.50e3" {
		t.Errorf("got %+v", n)
	}
	repeated := 0
	fields := n.fields(func(first, again member) {
		repeated++
		if first.value.kind != kindNumber || again.value.kind != kindList {
			t.Errorf("first %+v, again %+v", first, again)
		}
	})
	if repeated != 1 || len(fields) != 2 || fields[0].value.kind != kindList || fields[0].value.items[2].text != "x\n" {
		t.Errorf("%d repeated, fields %+v", repeated, fields)
	}
	if v := doc.Find("a"); v == nil || v.Value.Kind() != '[' {
		t.Error("find did not take the last of two keys")
	}
	if doc.Find("a", "b") != nil || doc.Find("c") != nil {
		t.Error("found what is not there")
	}
}
