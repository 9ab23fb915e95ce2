package results_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/results"
)

func TestRead(t *testing.T) {
	t.Parallel()
	document := `{"items":[{"id":1,"tag":"a"},{"id":2,"tag":"b"},{"id":3,"tag":"a"}],"big":12345678901234567890}`
	for name, tc := range map[string]struct {
		request results.Request
		want    string
	}{
		"from the start": {results.Request{}, document[:40]},
		"from an offset": {results.Request{Offset: 90}, document[90:]},
		"a line":         {results.Request{Lines: "1", Offset: 3}, ""},
		"a slice":        {results.Request{JSONPath: "$.items[1:].id"}, "[2,3]"},
		"a filter":       {results.Request{JSONPath: "$.items[?(@.tag=='a')].id"}, "[1,3]"},
		"skipped":        {results.Request{JSONPath: "$.items[*].id", Offset: 2}, "[3]"},
		"as it was":      {results.Request{JSONPath: "$.big"}, "[12345678901234567890]"},
		"nothing":        {results.Request{JSONPath: "$.none"}, "[]"},
		"a match":        {results.Request{Grep: "nowhere"}, ""},
	} {
		part, err := results.Read(t.Context(), document, tc.request, 40)
		if name == "a line" {
			if err == nil || !strings.Contains(err.Error(), "offset") {
				t.Errorf("a line that is too long: %v", err)
			}
			continue
		}
		if err != nil || part.Text != tc.want || part.Note == "" {
			t.Errorf("%s: %+v, %v", name, part, err)
		}
	}
}

func TestRead_refuses(t *testing.T) {
	t.Parallel()
	long := `[{"s":"` + strings.Repeat("x", 100) + `"}]`
	for name, tc := range map[string]struct {
		document string
		request  results.Request
		want     string
	}{
		"two ways":            {"x", results.Request{Lines: "1", Grep: "x"}, "one of"},
		"no JSON":             {"x", results.Request{JSONPath: "$"}, "not JSON"},
		"no path":             {"{}", results.Request{JSONPath: "$[?(@.a =="}, "jsonpath"},
		"behind the matches":  {"[1]", results.Request{JSONPath: "$[*]", Offset: 2}, "1 matches"},
		"too long an object":  {long, results.Request{JSONPath: "$[0]"}, "$[0].*"},
		"too long an array":   {long, results.Request{JSONPath: "$"}, "$[0:10]"},
		"too long a string":   {long, results.Request{JSONPath: "$[0].s"}, "grep"},
		"a broken expression": {"x", results.Request{Grep: "["}, "grep"},
	} {
		if part, err := results.Read(t.Context(), tc.document, tc.request, 40); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %+v, %v", name, part, err)
		}
	}
}

func TestRead_jsonPathPagesThroughAll(t *testing.T) {
	t.Parallel()
	items := make([]string, 300)
	for i := range items {
		items[i] = fmt.Sprint(i)
	}
	document := "[" + strings.Join(items, ",") + "]"
	var got []string
	for len(got) < len(items) {
		part, err := results.Read(t.Context(), document, results.Request{JSONPath: "$[*]", Offset: len(got)}, 100)
		if err != nil || len(part.Text) > 100 {
			t.Fatalf("%+v, %v", part, err)
		}
		got = append(got, strings.Split(strings.Trim(part.Text, "[]"), ",")...)
	}
	if strings.Join(got, ",") != strings.Join(items, ",") {
		t.Errorf("%v", got)
	}
}

// A path comes from a model; none may take the daemon down.
// TestRead_jsonPathIsBounded: a path that would search for ever is refused. The
// one of many dots was found by fuzzing.
func TestRead_jsonPathIsBounded(t *testing.T) {
	t.Parallel()
	document := `{"a":[1,{"b":"x"},null],"c":{"a":2.5}}`
	for _, path := range []string{strings.Repeat(".", 900) + "*", "$..*..*..*", "$[?(@..a..b..c > 1)]", "$." + strings.Repeat("a", 2000)} {
		if part, err := results.Read(t.Context(), document, results.Request{JSONPath: path}, 1000); err == nil {
			t.Errorf("%.20q… selects %q", path, part.Text)
		}
	}
	if part, err := results.Read(t.Context(), document, results.Request{JSONPath: "$..a"}, 1000); err != nil || part.Text == "" {
		t.Errorf("$..a selects %q, %v", part.Text, err)
	}
}

func FuzzRead_jsonPath(f *testing.F) {
	for _, path := range []string{"$..a", "$[?(@.a > 1)]", "$[::-1]", "$['a','b']", "$[?(@ =~ /x/)]", "@", "$.a[(1)]", "$[?(length(@.a) > 1)]"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		part, err := results.Read(t.Context(), `{"a":[1,{"b":"x"},null],"c":{"a":2.5}}`, results.Request{JSONPath: path}, 1000)
		if err == nil && path != "" && !strings.HasPrefix(part.Text, "[") {
			t.Errorf("%q selects %q", path, part.Text)
		}
	})
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	a := results.Canonical([]byte(`{ "b": 1.0, "a": {"y":12345678901234567890,"x":"é"} }`))
	if a != results.Canonical([]byte(`{"a":{"x":"\u00e9","y":12345678901234567890},"b":1.0}`)) {
		t.Errorf("equal arguments differ: %s", a)
	}
	if a == results.Canonical([]byte(`{"a":{"x":"é","y":12345678901234567891},"b":1.0}`)) {
		t.Error("different numbers are the same")
	}
	if got := results.Canonical([]byte(`{`)); got != "{" {
		t.Errorf("%q", got)
	}
}
