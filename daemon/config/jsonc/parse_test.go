package jsonc

import (
	"strings"
	"testing"
)

// TestParseJSON_Errors: the place, and a hint that fits.
func TestParseJSON_Errors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		at         Position
		hint       string
	}{
		{"unclosed brace", "{\n  \"a\": 1\n\n", Position{2, 9}, "close what is still open"},
		{"unclosed string", "{\"a\": \"b", Position{1, 9}, "close what is still open"},
		{"unclosed comment", "{ /* a", Position{1, 3}, "close what is still open"},
		{"missing comma", "{\"a\": 1\n \"b\": 2}", Position{2, 2}, "comma"},
		{"missing comma in a list", "[1\n2]", Position{2, 1}, "comma"},
		{"two commas", "[1,,2]", Position{1, 4}, "goes here"},
		{"single quotes", "{'a': 1}", Position{1, 2}, "straight double quotes"},
		{"smart quotes", "{“a”: 1}", Position{1, 2}, "straight double quotes"},
		{"bare name", "{a: 1}", Position{1, 2}, "check quotes"},
		{"number as a name", "{1: 1}", Position{1, 2}, "a name in double quotes"},
		{"line break in a string", "{\"a\": \"b\nc\"}", Position{1, 7}, "check quotes"},
		{"Windows path", `{"a": "C:\path"}`, Position{1, 7}, "escapes"},
		{"wrong word", "{\"a\": True}", Position{1, 7}, "check quotes"},
		{"two documents", "{}\n{}", Position{2, 1}, "outer { }"},
		{"closing too much", "{}}", Position{1, 3}, "outer { }"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, failure := Parse([]byte(tt.text))
			if failure == nil {
				t.Fatalf("parsed to %s", doc.Root.Pack())
			}
			if failure.Position != tt.at || !strings.Contains(failure.Hint, tt.hint) {
				t.Errorf("at %v: %s (%s); want %v and %q", failure.Position, failure.Message, failure.Hint, tt.at, tt.hint)
			}
		})
	}
}

func TestJSONTooDeep(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	for text, want := range map[string]int{
		most: -1, "[" + most + "]": MaxDepth, most + most: -1,
		`"` + strings.Repeat("[", 200) + `"`:         -1,
		`"\"` + strings.Repeat("[", 200) + `"`:       -1,
		"//" + strings.Repeat("[", 200) + "\n[]":     -1,
		"/*" + strings.Repeat("[", 200) + "*/[]":     -1,
		"/*" + strings.Repeat("[", 200):              -1,
		"//\n" + strings.Repeat(`{"a":`, 200):        3 + 5*MaxDepth,
		"/" + strings.Repeat("[", 200) + "\n":        1 + MaxDepth,
		`"` + strings.Repeat(`\\`, 200) + `"` + most: -1,
	} {
		if got := tooDeepAt([]byte(text)); got != want {
			t.Errorf("%.20s…: got %d, want %d", text, got, want)
		}
	}
}
