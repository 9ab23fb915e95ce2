package jsonc

import (
	"strings"
	"testing"
)

// TestParseJSON_Errors: the place, what is wrong there in no library's words, and a hint
// that fits.
func TestParseJSON_Errors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text    string
		at            Position
		message, hint string
	}{
		{"unclosed brace", "{\n  \"a\": 1\n\n", Position{2, 9}, "the { of line 1 is not closed", "close it with }, or"},
		{"unclosed after a colon", "{\n\"a\": {\n\"b\":", Position{3, 5}, "the { of line 2 is not closed", "close it with }"},
		{"unclosed within", "{\"a\": {\n\"b\": [1, {}],\n\"c\": \"]}\" // }\n}\n", Position{4, 2}, "the { of line 1 is not closed", "what is open within it"},
		{"unclosed list", "{\"a\":\n[1, /* ] */ 2", Position{2, 14}, "the [ of line 2 is not closed", "close it with ]"},
		{"unclosed string", "{\"a\": \"b", Position{1, 9}, "the string of line 1 is not closed", `close it with "`},
		{"unclosed comment", "{ /* a", Position{1, 3}, "the comment of line 1 is not closed", "close it with */"},
		{"nothing", "// nothing\n", Position{1, 11}, "the file ends where a value is missing", "goes here"},
		{"missing comma", "{\"a\": 1\n \"b\": 2}", Position{2, 2}, `'"' is not allowed here`, "comma"},
		{"missing comma in a list", "[1\n2]", Position{2, 1}, "'2' is not allowed here", "comma"},
		{"two commas", "[1,,2]", Position{1, 4}, "',' is not allowed here", "goes here"},
		{"single quotes", "{'a': 1}", Position{1, 2}, `'\'' is not allowed here`, "straight double quotes"},
		{"smart quotes", "{“a”: 1}", Position{1, 2}, "'“' is not allowed here", "straight double quotes"},
		{"bare name", "{a: 1}", Position{1, 2}, "this value is not valid", "check quotes"},
		{"number as a name", "{1: 1}", Position{1, 2}, "'1' is not allowed here", "a name in double quotes"},
		{"line break in a string", "{\"a\": \"b\nc\"}", Position{1, 7}, "this value is not valid", "check quotes"},
		{"Windows path", `{"a": "C:\path"}`, Position{1, 7}, "this value is not valid", "escapes"},
		{"wrong word", "{\"a\": True}", Position{1, 7}, "this value is not valid", "check quotes"},
		{"two documents", "{}\n{}", Position{2, 1}, "'{' is not allowed here", "outer { }"},
		{"closing too much", "{}}", Position{1, 3}, "'}' is not allowed here", "outer { }"},
		{"closed by another", "{\"a\": [1}", Position{1, 9}, "'}' is not allowed here", "comma"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, failure := Parse([]byte(tt.text))
			if failure == nil {
				t.Fatalf("parsed to %s", doc.Root.Pack())
			}
			if failure.Position != tt.at || failure.Message != "invalid JSON: "+tt.message || !strings.Contains(failure.Hint, tt.hint) {
				t.Errorf("at %v: %s (%s); want %v, %s and %q", failure.Position, failure.Message, failure.Hint, tt.at, tt.message, tt.hint)
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
