package results_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

// whole is a document in all of which paths are followed.
func whole(text string) shaping.Document { return shaping.Document{Text: text, To: len(text)} }

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
		part, err := results.Read(t.Context(), whole(document), tc.request, 40)
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
	for name, tc := range map[string]struct {
		document string
		request  results.Request
		want     string
	}{
		"two ways":            {"x", results.Request{Lines: "1", Grep: "x"}, "one of"},
		"no JSON":             {"x", results.Request{JSONPath: "$"}, "not JSON"},
		"no path":             {"{}", results.Request{JSONPath: "$[?(@.a =="}, "jsonpath"},
		"behind the matches":  {"[1]", results.Request{JSONPath: "$[*]", Offset: 2}, "1 matches"},
		"a broken expression": {"x", results.Request{Grep: "["}, "grep"},
	} {
		if part, err := results.Read(t.Context(), whole(tc.document), tc.request, 40); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %+v, %v", name, part, err)
		}
	}
}

// TestRead_whatIsTooLong: a path to a value that is too long gives what fits,
// and says by which path the rest is read.
func TestRead_whatIsTooLong(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 40)
	document := whole(`{"s":"` + text + `","list":[` + strings.Repeat("12345,", 200) + `1],"pair":["` + text + `","` + text + `"]}`)
	var got strings.Builder
	for got.Len() < len(text) {
		part, err := results.Read(t.Context(), document, results.Request{JSONPath: "$.s", Offset: got.Len()}, 100)
		if err != nil || part.Text == "" || len(part.Text) > 100 {
			t.Fatalf("%+v, %v", part, err)
		}
		got.WriteString(part.Text)
	}
	if got.String() != text {
		t.Errorf("the parts of a string are %q", got.String())
	}
	for path, want := range map[string]string{
		"$":         `"jsonpath":"$.list[`,
		"$.list":    `"jsonpath":"$.list[16:]"`,
		"$.list[:]": "Match", // many
		"$.pair[*]": `"offset":1`,
	} {
		part, err := results.Read(t.Context(), document, results.Request{JSONPath: path}, 100)
		if err != nil || !json.Valid([]byte(part.Text)) || len(part.Text) > 102 || path != "$.list[:]" && !strings.Contains(part.Note, want) {
			t.Errorf("%s: %+v, %v, want %s", path, part, err, want)
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
		part, err := results.Read(t.Context(), whole(document), results.Request{JSONPath: "$[*]", Offset: len(got)}, 100)
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
		if part, err := results.Read(t.Context(), whole(document), results.Request{JSONPath: path}, 1000); err == nil {
			t.Errorf("%.20q… selects %q", path, part.Text)
		}
	}
	if part, err := results.Read(t.Context(), whole(document), results.Request{JSONPath: "$..a"}, 1000); err != nil || part.Text == "" {
		t.Errorf("$..a selects %q, %v", part.Text, err)
	}
}

func FuzzRead_jsonPath(f *testing.F) {
	for _, path := range []string{"$..a", "$[?(@.a > 1)]", "$[::-1]", "$['a','b']", "$[?(@ =~ /x/)]", "@", "$.a[(1)]", "$[?(length(@.a) > 1)]"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		part, err := results.Read(t.Context(), whole(`{"a":[1,{"b":"x"},null],"c":{"a":2.5}}`), results.Request{JSONPath: path}, 1000)
		if err == nil && path != "" && !strings.HasPrefix(part.Text, "[") {
			t.Errorf("%q selects %q", path, part.Text)
		}
	})
}

// FuzzSelect: whatever a model refers to, what is put in is JSON, or it is
// refused.
func FuzzSelect(f *testing.F) {
	for _, seed := range [][3]string{{"$.a", "", ""}, {"$..*", "", ""}, {"", "1-", ""}, {"", "2", ""}, {"", "", "b(.)?"}, {"", "", ""}} {
		f.Add(seed[0], seed[1], seed[2])
	}
	document := whole("{\"a\":[1,{\"b\":\"x\"},null],\n\"c\":{\"a\":2.5}}")
	f.Fuzz(func(t *testing.T, path, lines, match string) {
		object := map[string]any{"$from": "r_x"}
		for name, value := range map[string]string{"path": path, "lines": lines, "match": match} {
			if value != "" {
				object[name] = value
			}
		}
		r, is, err := results.AsReference(object)
		if !is || (err != nil) != (len(object) > 2) {
			t.Fatalf("%v is read as %+v, %t, %v", object, r, is, err)
		}
		if err != nil {
			return
		}
		raw, err := results.Select(t.Context(), document, r)
		if err == nil && !json.Valid(raw) {
			t.Errorf("%+v puts in %s", r, raw)
		}
	})
}

// FuzzRead_lines: a range is refused, or gives lines of the document.
func FuzzRead_lines(f *testing.F) {
	for _, span := range []string{"1", "1-2", "2-", "-", "0", "9999999999999999999", "1-9223372036854775807"} {
		f.Add(span, 10)
	}
	const text = "one\ntwo\nthree"
	f.Fuzz(func(t *testing.T, span string, limit int) {
		part, err := results.Read(t.Context(), whole(text), results.Request{Lines: span}, limit)
		if err == nil && span != "" && !strings.Contains(text, part.Text) {
			t.Errorf("%q reads %q", span, part.Text)
		}
	})
}
