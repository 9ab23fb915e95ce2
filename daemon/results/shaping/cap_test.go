package shaping_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

// TestShape_everythingCounts: whatever a result is made of, what comes out has
// no more bytes than a text of line feeds would, and one note.
func TestShape_everythingCounts(t *testing.T) {
	t.Parallel()
	const limit = 12_000
	big := strings.Repeat("x", 2_000_000)
	one := func(format string) shaping.Result {
		return shaping.Result{Content: []json.RawMessage{json.RawMessage(fmt.Sprintf(format, big))}}
	}
	for name, r := range map[string]shaping.Result{
		"annotations of a text":    one(`{"type":"text","text":"short","annotations":{"audience":"%s"}}`),
		"_meta of a text":          one(`{"type":"text","text":"short","_meta":{"a":"%s"}}`),
		"the address of a link":    one(`{"type":"resource_link","name":"n","uri":"%s"}`),
		"the address of a text":    one(`{"type":"resource","resource":{"uri":"%s","text":"short"}}`),
		"the kind of an image":     one(`{"type":"image","data":"AAAA","mimeType":"%s"}`),
		"an unknown block":         one(`{"type":"video","data":"%s"}`),
		"a kind that is long":      one(`{"type":"%s"}`),
		"data that is no image":    one(`{"type":"resource","resource":{"uri":"a:b","mimeType":"application/zip","blob":"%s"}}`),
		"empty texts":              {Content: slices.Repeat([]json.RawMessage{json.RawMessage(`{"type":"text","text":""}`)}, 50_000)},
		"empty resources":          {Content: slices.Repeat([]json.RawMessage{json.RawMessage(`{"type":"resource","resource":{"uri":"","text":""}}`)}, 50_000)},
		"its _meta":                {Content: []json.RawMessage{textBlock(t, "short")}, Meta: json.RawMessage(`{"a":"` + big + `"}`)},
		"_meta beside a long text": {Content: []json.RawMessage{textBlock(t, big)}, Meta: json.RawMessage(`{"a":"` + big + `"}`)},
		"an image that is long":    one(`{"type":"image","data":"%s","mimeType":"image/png"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := shaping.Options{Chars: limit, Media: 1_000_000, Read: read}
			if shaping.Fits(r, o) {
				t.Fatal("it fits")
			}
			shaped := shaping.Shape(r, o)
			if n := size(shaped.Result) + len(shaped.Meta); n > 2*limit {
				t.Errorf("%d bytes come out: %.200s", n, shaped.Content)
			}
			if n := strings.Count(fmt.Sprintf("%s", shaped.Content), "[Winnow"); n != 1 {
				t.Errorf("%d notes: %.300s", n, shaped.Content)
			}
			if shaped.Omitted == 0 || shaped.Kind == "" {
				t.Errorf("%d omitted, %q", shaped.Omitted, shaped.Kind)
			}
		})
	}
}

// TestShape_screenshots: images and audio have a limit of their own, so that a
// screenshot arrives beside a long text.
func TestShape_screenshots(t *testing.T) {
	t.Parallel()
	image := func(n int) json.RawMessage {
		return json.RawMessage(`{"type":"image","data":"` + strings.Repeat("A", n) + `","mimeType":"image/png"}`)
	}
	r := shaping.Result{Content: []json.RawMessage{textBlock(t, strings.Repeat("x", 5000)), image(800_000), image(300_000), image(100_000)}}
	shaped := shaping.Shape(r, shaping.Options{Chars: 2000, Media: 1_000_000, Read: read})
	if len(shaped.Content) != 4 || string(shaped.Content[1]) != string(r.Content[1]) || string(shaped.Content[3]) != string(r.Content[3]) {
		t.Errorf("an image that fits is lost: %.300s", shaped.Content)
	}
	if !strings.Contains(string(shaped.Content[2]), "300000 characters") {
		t.Errorf("of the one that does not fit is said %.300s", shaped.Content[2])
	}
	only := shaping.Shape(shaping.Result{Content: r.Content}, shaping.Options{Media: 1_000_000})
	if string(only.Content[0]) != string(r.Content[0]) {
		t.Errorf("without a limit a text is cut: %.100s", only.Content[0])
	}
}

// TestShape_blocksSaidTwice: structured content that holds the very blocks, as the
// filesystem server's does of a picture, says nothing more: no model reads their
// base64 as text.
func TestShape_blocksSaidTwice(t *testing.T) {
	t.Parallel()
	image := `{"type":"image","data":"` + strings.Repeat("A", 50_000) + `","mimeType":"image/png"}`
	text := `{"type":"text","text":"` + strings.Repeat("x", 5000) + `"}`
	for name, blocks := range map[string][]string{"a picture": {image}, "a picture and a short text": {image, `{"type":"text","text":"short"}`}, "a long text too": {text, image}} {
		r := shaping.Result{Structured: json.RawMessage(`{"content": [` + strings.Join(blocks, ", ") + `]}`)}
		for _, block := range blocks {
			r.Content = append(r.Content, json.RawMessage(block))
		}
		o := shaping.Options{Chars: 2000, Media: 1_000_000, Read: read}
		once := r.Unrepeated(false)
		if fits := shaping.Fits(once, o); fits == slices.Contains(blocks, text) {
			t.Errorf("%s: it fits: %t", name, fits)
		}
		shaped := shaping.Shape(once, o).Lean(false, true)
		if len(shaped.Content) != len(blocks) || len(shaped.Structured) > 0 || size(shaped) > len(image)+2100 || !strings.Contains(fmt.Sprintf("%s", shaped.Content), image) {
			t.Errorf("%s: %d blocks, %d characters, structured content %.100s", name, len(shaped.Content), size(shaped), shaped.Structured)
		}
		// A client that knows a schema may show its model the structured content.
		promised := shaping.Shape(r.Unrepeated(true), shaping.Options{Chars: 2000, Media: 1_000_000, Read: read, Valid: func(raw json.RawMessage) bool { return json.Valid(raw) }})
		if n := len(promised.Structured); n == 0 || n > 2000 {
			t.Errorf("%s: of promised structured content there are %d characters", name, n)
		}
		other := r
		other.Structured = json.RawMessage(strings.Replace(string(r.Structured), "AAAA", "BBBB", 1))
		if shaping.Fits(other.Unrepeated(false), o) {
			t.Errorf("%s: another one is taken for the same", name)
		}
	}
}

// TestShape_longStringInside: a long string in a structure keeps its head and its
// tail, and the rest is read by the path to it.
func TestShape_longStringInside(t *testing.T) {
	t.Parallel()
	text := "begin " + strings.Repeat("line of a file\n", 806) + " end"
	raw, err := json.Marshal(map[string]string{"path": "a.txt", "content": text})
	if err != nil {
		t.Fatal(err)
	}
	var tried []string
	got := shaping.Shape(shaping.Result{Content: []json.RawMessage{textBlock(t, string(raw))}}, shaping.Options{Chars: 12_000, Read: func(arguments string) string {
		tried = append(tried, arguments)
		if strings.Contains(arguments, "jsonpath") {
			return ""
		}
		return read(arguments)
	}})
	var block struct{ Text string }
	if err := json.Unmarshal(got.Content[0], &block); err != nil {
		t.Fatal(err)
	}
	body, note, _ := strings.Cut(block.Text, "\n[Winnow")
	var kept struct{ Path, Content string }
	if err := json.Unmarshal([]byte(body), &kept); err != nil {
		t.Fatal(err)
	}
	if kept.Path != "a.txt" || !strings.HasPrefix(kept.Content, "begin ") || !strings.HasSuffix(kept.Content, " end") || len(kept.Content) < 10_000 {
		t.Errorf("kept %d characters of it: %.100s", len(kept.Content), kept.Content)
	}
	// What does not work is not offered.
	if len(tried) != 2 || !strings.Contains(tried[0], `"jsonpath":"$.content","offset":`) || strings.Contains(note, "jsonpath") || !strings.Contains(note, `"offset":0`) {
		t.Errorf("tried %q, offered %q", tried, note)
	}
}

// TestShape_saidTwice: what the text and the structured content both say counts
// once, and what a client was promised is kept in form.
func TestShape_saidTwice(t *testing.T) {
	t.Parallel()
	items := `[` + strings.Repeat(`{"id":7,"name":"a name"},`, 400) + `{"id":8,"name":"last"}]`
	quoted, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]shaping.Result{
		"as a string":    {Content: []json.RawMessage{textBlock(t, items)}, Structured: json.RawMessage(`{"content":` + string(quoted) + `}`)},
		"as a member":    {Content: []json.RawMessage{textBlock(t, items)}, Structured: json.RawMessage(`{"result":` + items + `}`)},
		"with blanks":    {Content: []json.RawMessage{textBlock(t, `{ "rows": `+items+`, "n": 1}`)}, Structured: json.RawMessage(`{"n":1,"rows":` + items + `}`)},
		"block by block": {Content: []json.RawMessage{textBlock(t, items), textBlock(t, "two")}, Structured: json.RawMessage(`{"result":[` + items + `,"two"]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := len(items) + 40
			if !shaping.Fits(r, shaping.Options{Chars: whole}) {
				t.Errorf("it counts twice")
			}
			text := shaping.Shape(r, shaping.Options{Chars: 3000, Read: read})
			if len(text.Structured) > 0 || text.Omitted < 3000 || text.Omitted > whole {
				t.Errorf("without a schema: %d omitted, structured content %.100s", text.Omitted, text.Structured)
			}
			valid := func(raw json.RawMessage) bool {
				var object map[string]json.RawMessage
				return json.Unmarshal(raw, &object) == nil && (object["content"] != nil || object["result"] != nil || object["rows"] != nil)
			}
			promised := shaping.Shape(r, shaping.Options{Chars: 3000, Read: read, Valid: valid})
			if !valid(promised.Structured) || len(promised.Structured) > 3000 || !strings.Contains(string(promised.Structured), "mcp_result(") {
				t.Errorf("with a schema: %d characters, %.200s", len(promised.Structured), promised.Structured)
			}
			strict := shaping.Shape(r, shaping.Options{Chars: 3000, Read: read, Valid: func(raw json.RawMessage) bool { return valid(raw) && !strings.Contains(string(raw), "_winnow") }})
			if !json.Valid(strict.Structured) || strict.Invalid {
				t.Errorf("with a strict schema: %.200s", strict.Structured)
			}
			never := shaping.Shape(r, shaping.Options{Chars: 3000, Read: read, Valid: func(json.RawMessage) bool { return false }})
			if len(never.Structured) > 0 || !never.Invalid {
				t.Errorf("what fits no schema is %.100s", never.Structured)
			}
		})
	}
}

// TestLean: blanks of JSON and what is said twice go, and nothing that says
// something.
func TestLean(t *testing.T) {
	t.Parallel()
	const pretty = "{\n  \"a\": [\n    1.50,\n    \"two  words\"\n  ]\n}"
	const short = `{"a":[1.50,"two  words"]}`
	text := func(texts ...string) (r shaping.Result) {
		for _, each := range texts {
			r.Content = append(r.Content, textBlock(t, each))
		}
		return r
	}
	with := func(r shaping.Result, structured string) shaping.Result {
		r.Structured = json.RawMessage(structured)
		return r
	}
	quoted, err := json.Marshal(map[string]string{"content": pretty})
	if err != nil {
		t.Fatal(err)
	}
	resource := shaping.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"resource","resource":{"uri":"a:b","text":"{ }"}}`)}}
	for name, tc := range map[string]struct {
		in           shaping.Result
		plain, alone bool
		want         shaping.Result
	}{
		"indented JSON":            {in: text("Found:", pretty), want: text("Found:", short)},
		"a file, as is known":      {in: text(pretty), plain: true, want: text(pretty)},
		"a file, as is seen":       {in: with(text(pretty), string(quoted)), want: with(text(pretty), string(quoted))},
		"a document":               {in: resource, want: resource},
		"no JSON":                  {in: text("{ a }", "  words  "), want: text("{ a }", "  words  ")},
		"said twice":               {in: with(text(pretty), short), alone: true, want: text(short)},
		"said twice, and promised": {in: with(text(short), short), want: with(text(short), short)},
		"two things":               {in: with(text("2 rows"), short), alone: true, want: with(text("2 rows"), short)},
		"structure alone":          {in: with(shaping.Result{}, short), alone: true, want: with(shaping.Result{}, short)},
	} {
		if got := tc.in.Lean(tc.plain, tc.alone); fmt.Sprintf("%s", got) != fmt.Sprintf("%s", tc.want) {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}
