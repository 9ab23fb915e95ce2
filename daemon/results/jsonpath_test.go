package results_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

// TestRead_filters: the filters that models write are followed, and those whose
// work multiplies are refused before they run.
func TestRead_filters(t *testing.T) {
	t.Parallel()
	document := `{"b":[{"a":1,"s":"x/y","n":{"m":[7]}},{"c":2,"a":10,"s":"it's"}],"a":{"z":1}}`
	for path, want := range map[string]string{
		"$.b[?(@.a > 5)].c":                       "[2]",
		"$.b[?@.a > 5].c":                         "[2]",
		"$..b[?(@.n.m[0] == 7)].a":                "[1]",
		"$.b[?(@['s'] == 'x/y')].a":               "[1]",
		`$.b[?(@.s == "it's")].a`:                 "[10]",
		`$.b[?(@.s =~ /x\/./)].a`:                 "[1]",
		"$.b[?(@.s ~= 'it')].a":                   "[10]",
		"$.b[?search(@.s, 'y$')].a":               "[1]",
		"$.b[?length(@.s) > 3].a":                 "[10]",
		"$.b[?(@.a in [1, 2])].s":                 `["x/y"]`,
		"$.b[?(@.a == 1 && @.s != 'q')].a":        "[1]",
		"$.b[?((@.a == 2 || @.c == 2))].a":        "[10]",
		"$.b[?(@.c has true)].a":                  "[10]",
		"$.b[*].a":                                "[1,10]",
		"$..['a','z']":                            `[{"z":1},1,1,10]`,
		"$.b[?(length($..a) > 0)]":                "",
		"$.b[?(@..a == @..a)]":                    "",
		"$.b[?(@.* == @.*)]":                      "",
		"$.b[?(@['a','s'] == @['a','s'])]":        "",
		"$.b[?(@.s =~ /a\\/'/ && @..a == 'q')]":   "",
		"$.b[?(@.s ~= @.s)]":                      "",
		"$.b[?match(@.s, @.s)]":                   "",
		"$.b[?(@[?(@.x == 1)] == 2)]":             "",
		"$.b[?(count(@.*) > 1)]":                  "",
		"$.b[?(@.a == $.a.z)]":                    "",
		"$.b[?(@.s == 'x' && length(@..a) == 1)]": "",
	} {
		part, err := results.Read(t.Context(), whole(document), results.Request{JSONPath: path}, 1000)
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "filter")):
			t.Errorf("%s selects %s, %v, want it refused", path, part.Text, err)
		case want != "" && (err != nil || part.Text != want):
			t.Errorf("%s selects %s, %v, want %s", path, part.Text, err, want)
		}
	}
}

// TestRead_whatPathsAddress: paths are followed in the text that is JSON, or in
// the structured content, and never in both joined.
func TestRead_whatPathsAddress(t *testing.T) {
	t.Parallel()
	text := func(s string) json.RawMessage {
		return json.RawMessage(`{"type":"text","text":` + strconv.Quote(s) + `}`)
	}
	items := `[` + strings.Repeat(`{"id":7},`, 2999) + `{"id":8}]`
	for name, tc := range map[string]struct {
		result     shaping.Result
		path, want string
	}{
		"structured content beside words": {
			shaping.Result{Content: []json.RawMessage{text("Two rows:\n{not JSON}")}, Structured: json.RawMessage(`{"rows":[1,2]}`)}, "$.rows[1]", "[2]",
		},
		"a text beside the same as a string": {
			shaping.Result{Content: []json.RawMessage{text(items)}, Structured: json.RawMessage(`{"content":` + strconv.Quote(items) + `}`)}, "$[2999:].id", "[8]",
		},
		"a text beside the same": {
			shaping.Result{Content: []json.RawMessage{text(`{"a": [1, 2]}`)}, Structured: json.RawMessage(`{"a":[1,2]}`)}, "$.a[1]", "[2]",
		},
		"a text beside something else": {
			shaping.Result{Content: []json.RawMessage{text("Found:"), text(`[{"id":3}]`)}, Structured: json.RawMessage(`{"count":1}`)}, "$[0].id", "[3]",
		},
	} {
		part, err := results.Read(t.Context(), shaping.DocumentOf(tc.result), results.Request{JSONPath: tc.path}, 100)
		if err != nil || part.Text != tc.want {
			t.Errorf("%s: %+v, %v", name, part, err)
		}
	}
	doubled := shaping.Result{Content: []json.RawMessage{text("one\ntwo")}, Structured: json.RawMessage(`{"content":"one\ntwo"}`)}
	if d := shaping.DocumentOf(doubled); d.Text != "one\ntwo" {
		t.Errorf("what is said twice is kept as %q", d.Text)
	}
}

// TestRead_hasAnEnd: what a model can ask for ends, whatever it asks for. Each
// of these ran for minutes.
func TestRead_hasAnEnd(t *testing.T) {
	t.Parallel()
	megabyte := strings.Repeat("y", 1<<20)
	items := make([]string, 20_000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"a":%d,"s":"%s"}`, i, megabyte[:50])
	}
	list := "[" + strings.Join(items, ",") + "]"
	deep := strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000)
	union := "[" + strings.Repeat("0,", 70) + "0]"
	zeros := strings.Repeat("[", 500) + strings.Repeat("]", 500)
	for name, tc := range map[string]struct {
		document string
		request  results.Request
	}{
		"counts in grep":       {megabyte, results.Request{Grep: "(y?){900}y{900}z"}},
		"fewer counts":         {megabyte, results.Request{Grep: "(y?){300}y{300}z"}},
		"a search in a filter": {list, results.Request{JSONPath: "$[?(length($..a) > 0)]"}},
		"values by values":     {list, results.Request{JSONPath: "$[?(@.* == @.*)]"}},
		"counts in a filter":   {list, results.Request{JSONPath: "$[?(@.s =~ /(y?){300}y{300}z/)]"}},
		"twice through depth":  {deep, results.Request{JSONPath: "$..*..*"}},
		"unions of unions":     {strings.ReplaceAll(zeros, "[]", "[1]"), results.Request{JSONPath: "$" + strings.Repeat(union, 6)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part, err := results.Read(t.Context(), whole(tc.document), tc.request, 1000)
			if err == nil {
				t.Errorf("answered %.60q (%s)", part.Text, part.Note)
			}
		})
	}
}

// TestRead_cancelled: a search ends when its request is given up.
func TestRead_cancelled(t *testing.T) {
	t.Parallel()
	given := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(given)
	list := "[" + strings.Repeat(`{"a":[1]},`, 10_000) + "0]"
	for _, r := range []results.Request{{Grep: "(a?){50}x"}, {JSONPath: "$..a[0]"}, {JSONPath: "$[?(@.a[0] == 1)]"}} {
		if part, err := results.Read(ctx, whole(list), r, 1000); !errors.Is(err, given) {
			t.Errorf("%+v: %.40q, %v", r, part.Text, err)
		}
	}
}
