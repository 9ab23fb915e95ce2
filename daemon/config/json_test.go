package config

import (
	"strings"
	"testing"
)

// TestParseJSON_Errors: the place, and a hint that fits.
func TestParseJSON_Errors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		at         position
		hint       string
	}{
		{"unclosed brace", "{\n  \"a\": 1\n\n", position{2, 9}, "close what is still open"},
		{"unclosed string", "{\"a\": \"b", position{1, 9}, "close what is still open"},
		{"unclosed comment", "{ /* a", position{1, 3}, "close what is still open"},
		{"missing comma", "{\"a\": 1\n \"b\": 2}", position{2, 2}, "comma"},
		{"missing comma in a list", "[1\n2]", position{2, 1}, "comma"},
		{"two commas", "[1,,2]", position{1, 4}, "goes here"},
		{"single quotes", "{'a': 1}", position{1, 2}, "straight double quotes"},
		{"smart quotes", "{“a”: 1}", position{1, 2}, "straight double quotes"},
		{"bare name", "{a: 1}", position{1, 2}, "check quotes"},
		{"number as a name", "{1: 1}", position{1, 2}, "a name in double quotes"},
		{"line break in a string", "{\"a\": \"b\nc\"}", position{1, 7}, "check quotes"},
		{"Windows path", `{"a": "C:\path"}`, position{1, 7}, "escapes"},
		{"wrong word", "{\"a\": True}", position{1, 7}, "check quotes"},
		{"two documents", "{}\n{}", position{2, 1}, "outer { }"},
		{"closing too much", "{}}", position{1, 3}, "outer { }"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, failure := parseJSON([]byte(tt.text))
			if failure == nil {
				t.Fatalf("parsed to %s", doc.root.Pack())
			}
			if failure.position != tt.at || !strings.Contains(failure.hint, tt.hint) {
				t.Errorf("at %v: %s (%s); want %v and %q", failure.position, failure.message, failure.hint, tt.at, tt.hint)
			}
		})
	}
}

func TestJSONTooDeep(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	for text, want := range map[string]int{
		most: -1, "[" + most + "]": maxDepth, most + most: -1,
		`"` + strings.Repeat("[", 200) + `"`:         -1,
		`"\"` + strings.Repeat("[", 200) + `"`:       -1,
		"//" + strings.Repeat("[", 200) + "\n[]":     -1,
		"/*" + strings.Repeat("[", 200) + "*/[]":     -1,
		"/*" + strings.Repeat("[", 200):              -1,
		"//\n" + strings.Repeat(`{"a":`, 200):        3 + 5*maxDepth,
		"/" + strings.Repeat("[", 200) + "\n":        1 + maxDepth,
		`"` + strings.Repeat(`\\`, 200) + `"` + most: -1,
	} {
		if got := jsonTooDeep([]byte(text)); got != want {
			t.Errorf("%.20s…: got %d, want %d", text, got, want)
		}
	}
}

func TestJSONDoc_NonStandard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"a": [1, "//"]}`: -1, `{"a": 1,}`: 7, "[1, /* a */ 2]": 4, "[1]\n// end": 4, `["/*", 1,]`: 8,
	} {
		doc, failure := parseJSON([]byte(text))
		if failure != nil {
			t.Fatal(failure.message)
		}
		at, found := doc.nonStandard()
		if found != (want >= 0) || found && at.offset != want {
			t.Errorf("%s: got %d %t, want %d", text, at.offset, found, want)
		}
	}
}

// TestJSONNode: duplicates are kept, and the last of them counts.
func TestJSONNode(t *testing.T) {
	t.Parallel()
	doc, failure := parseJSON([]byte(`{"a": 1, "\u0061": [true, null, "x\n"], "b": -1.50e3}`))
	if failure != nil {
		t.Fatal(failure.message)
	}
	n := jsonNode(doc.root)
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
	if v := doc.find("a"); v == nil || v.Value.Kind() != '[' {
		t.Error("find did not take the last of two keys")
	}
	if doc.find("a", "b") != nil || doc.find("c") != nil {
		t.Error("found what is not there")
	}
}
