package shaping_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

func textBlock(t testing.TB, text string) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"type": "text", "text": text})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func read(arguments string) string { return `mcp_result({"handle":"r_1",` + arguments + `})` }

// shapeText cuts one text, and returns what a model would read.
func shapeText(t testing.TB, text string, limit int) (string, shaping.Shaped) {
	t.Helper()
	shaped := shaping.Shape(shaping.Result{Content: []json.RawMessage{textBlock(t, text)}}, shaping.Options{Chars: limit, Read: read})
	var b struct{ Text string }
	if err := json.Unmarshal(shaped.Content[0], &b); err != nil {
		t.Fatal(err)
	}
	return b.Text, shaped
}

func TestShape_textKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é", 600) + strings.Repeat("m", 1000) + strings.Repeat("ü", 300)
	got, shaped := shapeText(t, text, 1220) // 320 of them for the note
	head, rest, _ := strings.Cut(got, "\n[Winnow")
	notice, tail, _ := strings.Cut(rest, "]\n")
	if head != strings.Repeat("é", 600) || tail != strings.Repeat("ü", 300) {
		t.Errorf("head %d characters, tail %d", utf8.RuneCountInString(head), utf8.RuneCountInString(tail))
	}
	if shaped.Kind != shaping.Text || shaped.Omitted != 1000 {
		t.Errorf("%s, %d omitted", shaped.Kind, shaped.Omitted)
	}
	for _, part := range []string{"1000 of 1900", `"handle":"r_1"`, `"offset":600`} {
		if !strings.Contains(notice, part) {
			t.Errorf("the notice %q does not say %s", notice, part)
		}
	}
}

func TestShape_arrayKeepsWholeItems(t *testing.T) {
	t.Parallel()
	items := make([]string, 400)
	for i := range items {
		items[i] = fmt.Sprintf(`{ "id": %d, "big": 12345678901234567890, "s": "a]b,c" }`, i)
	}
	got, shaped := shapeText(t, "[\n"+strings.Join(items, ",\n")+"\n]\n", 2000)
	body, notice, ok := strings.Cut(got, "\n[Winnow: ")
	if !ok || shaped.Kind != shaping.Array {
		t.Fatalf("%s: %s", shaped.Kind, got)
	}
	var kept []struct {
		ID  int         `json:"id"`
		Big json.Number `json:"big"`
	}
	if err := json.Unmarshal([]byte(body), &kept); err != nil {
		t.Fatal(err)
	}
	if len(kept) < 30 || kept[len(kept)-1].ID != len(kept)-1 || kept[3].Big != "12345678901234567890" {
		t.Errorf("kept %d items: %v", len(kept), kept)
	}
	if want := fmt.Sprintf("%d of 400 shown", len(kept)); !strings.HasPrefix(notice, want) {
		t.Errorf("notice %q, want %q", notice, want)
	}
	if utf8.RuneCountInString(body) > 2000 {
		t.Errorf("%d characters are kept", utf8.RuneCountInString(body))
	}
}

func TestShape_jsonIsCutAtStructure(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`a \" } ] , `, 500)
	text := `{"name":"x","log":"` + long + `","rows":[1,2,3,` + strings.Repeat("4,", 900) + `5],"n":{"deep":[[` +
		strings.Repeat("7,", 900) + `8]],"ok":true}}`
	got, shaped := shapeText(t, text, 800)
	body, notice, _ := strings.Cut(got, "\n[Winnow")
	var kept struct {
		Name string
		Log  string
		Rows []int
		N    struct {
			Deep [][]int
			Ok   bool
		}
	}
	if err := json.Unmarshal([]byte(body), &kept); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if kept.Name != "x" || !strings.HasPrefix(kept.Log, `a " } ] , a "`) || !strings.HasSuffix(kept.Log, `a " } ] , `) || len(kept.Rows) < 20 || !kept.N.Ok || len(kept.N.Deep) != 1 || len(kept.N.Deep[0]) < 20 {
		t.Errorf("kept %s", body)
	}
	if shaped.Kind != shaping.JSON || !strings.Contains(notice, "$.log: ") || !strings.Contains(notice, "$.n.deep[0]: ") {
		t.Errorf("%s, notice %s", shaped.Kind, notice)
	}
}

func TestShape_edges(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text  string
		limit int
		want  string // a part of the answer
	}{
		"only blanks are too many": {"[" + strings.Repeat(" ", 500) + "1, 2]", 100, "[1,2]"},
		"an item in part":          {`["` + strings.Repeat("x", 500) + `"]`, 120, `["xxxxx`},
		"no item fits":             {`["` + strings.Repeat("x", 500) + `"]`, 60, "[]"},
		"a first item in part":     {`[{"a":1,"b":"` + strings.Repeat("x", 500) + `"},2]`, 100, `[{"a":1}]`},
		"no member fits":           {`{"b":"` + strings.Repeat("x", 500) + `"}`, 100, "{}"},
		"a name that is no word":   {`{"a b":[` + strings.Repeat("1,", 500) + `1]}`, 100, `$["a b"]`},
		"almost JSON":              {`{"a":` + strings.Repeat("x", 500), 100, "left out 455 of 505"},
		"nested without end":       {strings.Repeat("[", 5000) + strings.Repeat("]", 5000), 100, "[Winnow"},
		"empty arrays":             {`{"` + strings.Repeat("k", 500) + `":[],"a":{}}`, 100, `{"a":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _ := shapeText(t, tc.text, tc.limit); !strings.Contains(got, tc.want) {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestShape_touchesNothingElse(t *testing.T) {
	t.Parallel()
	image := json.RawMessage(`{"type":"image","data":"` + strings.Repeat("A", 5000) + `","mimeType":"image/png"}`)
	resource := json.RawMessage(`{"type":"resource","resource":{"uri":"a:b","text":"` + strings.Repeat("t", 5000) + `"}}`)
	short := textBlock(t, "short")
	content := []json.RawMessage{short, image, textBlock(t, strings.Repeat("x", 5000)), resource, textBlock(t, strings.Repeat("y", 900))}
	shaped := shaping.Shape(shaping.Result{Content: content}, shaping.Options{Chars: 4000, Read: read})
	for i := range content {
		if same := string(shaped.Content[i]) == string(content[i]); same == (i == 2 || i == 3) {
			t.Errorf("block %d: unchanged is %v", i, same)
		}
	}
	// The address of the resource counts.
	if shaped.Omitted != 2*(5000-(4000-320-5-900)/2)+len(`uri"a:b"`) {
		t.Errorf("%d omitted", shaped.Omitted)
	}
	if shaping.Fits(shaping.Result{Content: content}, shaping.Options{Chars: 2000}) || !shaping.Fits(shaping.Result{Content: content}, shaping.Options{Chars: 0}) || !shaping.Fits(shaping.Result{Content: content[:2]}, shaping.Options{Chars: 5}) {
		t.Error("Fits is wrong")
	}
	if doc := shaping.DocumentOf(shaping.Result{Content: content}).Text; len(doc) != 5+1+5000+1+5000+1+900 || !strings.HasPrefix(doc, "short\nxxx") {
		t.Errorf("the document has %d characters", len(doc))
	}
	annotated := json.RawMessage(`{"type":"text","text":"` + strings.Repeat("z", 500) + `","annotations":{"priority":1}}`)
	if got := shaping.Shape(shaping.Result{Content: []json.RawMessage{annotated}}, shaping.Options{Chars: 300, Read: read}).Content[0]; !strings.Contains(string(got), `"priority":1`) {
		t.Errorf("annotations are lost: %s", got)
	}
}

// The notice's offset is that of the whole result, not of the block.
func TestShape_offsetCountsThroughBlocks(t *testing.T) {
	t.Parallel()
	content := []json.RawMessage{textBlock(t, "12345"), textBlock(t, strings.Repeat("x", 3000))}
	shaped := shaping.Shape(shaping.Result{Content: content}, shaping.Options{Chars: 1000, Read: read})
	if got := string(shaped.Content[1]); !strings.Contains(got, `\"offset\":456`) {
		t.Errorf("%s", got)
	}
}

// characters counts what a result costs: its texts, and the structured content.
func characters(t testing.TB, r shaping.Result) int {
	t.Helper()
	n := utf8.RuneCount(r.Structured)
	for _, raw := range r.Content {
		var b struct {
			Text     string
			Resource struct{ Text string }
		}
		if err := json.Unmarshal(raw, &b); err != nil {
			t.Fatalf("a block became %s: %v", raw, err)
		}
		n += utf8.RuneCountInString(b.Text) + utf8.RuneCountInString(b.Resource.Text)
	}
	return n
}

func size(r shaping.Result) int {
	n := len(r.Structured)
	for _, raw := range r.Content {
		n += len(raw)
	}
	return n
}

// TestShape_oneBudget: all parts of a result together have one limit, and one
// note; nothing becomes longer than it was, and the document has everything.
func TestShape_oneBudget(t *testing.T) {
	t.Parallel()
	const limit = 12_000
	blocks := func(n int, text string) (all []json.RawMessage) {
		for range n {
			all = append(all, textBlock(t, text))
		}
		return all
	}
	resource := func(text string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"type":"resource","resource":{"uri":"a:b","text":%q}}`, text))
	}
	list := func(n int) json.RawMessage {
		return json.RawMessage(`{"total":` + fmt.Sprint(n) + `,"rows":[` + strings.Repeat(`"a row",`, n) + `"the last"]}`)
	}
	long := strings.Repeat("word ", 40_000)
	for name, r := range map[string]shaping.Result{
		"one character over":      {Content: blocks(1, strings.Repeat("x", limit+1))},
		"blocks of one character": {Content: blocks(20_000, "x")},
		"blocks and structure":    {Content: blocks(5000, "ten chars."), Structured: list(25_000)},
		"structure that says it":  {Content: blocks(1, string(list(23_000))), Structured: list(23_000)},
		"structure alone":         {Structured: list(23_000)},
		"one text in structure":   {Structured: json.RawMessage(fmt.Sprintf(`{"file":%q,"ok":true}`, long))},
		"structure one over":      {Structured: json.RawMessage(`{"a":"` + strings.Repeat("x", limit-7) + `"}`)},
		"embedded resource":       {Content: []json.RawMessage{resource(long)}},
		"many resources":          {Content: slices.Repeat([]json.RawMessage{resource("short"), textBlock(t, "text")}, 3000)},
		"links":                   {Content: slices.Repeat([]json.RawMessage{json.RawMessage(`{"type":"resource_link","uri":"a:b","name":"c"}`)}, 1000)},
		"quotes":                  {Content: blocks(1, strings.Repeat(`"\`, limit))},
		"long names":              {Content: blocks(1, `{"`+strings.Repeat("k", 900)+`":`+string(list(9000))+`}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shaped := shaping.Shape(r, shaping.Options{Chars: limit, Read: read})
			if got := characters(t, shaped.Result); got > limit || shaped.Kind == "" || shaped.Omitted <= 0 {
				t.Errorf("%d characters came out, %d omitted (%s), want at most %d", got, shaped.Omitted, shaped.Kind, limit)
			}
			if in, out := size(r), size(shaped.Result); out > in {
				t.Errorf("%d bytes became %d", in, out)
			}
			if len(shaped.Structured) > 0 && !json.Valid(shaped.Structured) {
				t.Errorf("structured content became %.100s", shaped.Structured)
			}
			if got := strings.Count(fmt.Sprintf("%s", shaped.Content), "mcp_result("); got != 1 {
				t.Errorf("%d notes: %.300s", got, shaped.Content)
			}
			document := shaping.DocumentOf(r).Text
			if n := characters(t, r); name != "structure that says it" && len(document) < n {
				t.Errorf("the document has %d of %d characters", len(document), n)
			}
		})
	}
}

// TestShape_structuredKeepsMembers: a client may check structured content by a
// schema, so long texts in it are shortened and not left out.
func TestShape_structuredKeepsMembers(t *testing.T) {
	t.Parallel()
	r := shaping.Result{Structured: json.RawMessage(`{"path":"a.txt","text":"` + strings.Repeat(`é\n`, 9000) + `","ok":true}`)}
	shaped := shaping.Shape(r, shaping.Options{Chars: 2000, Read: read, Valid: func(raw json.RawMessage) bool { return json.Valid(raw) }})
	var kept struct {
		Path, Text string
		OK         bool
	}
	if err := json.Unmarshal(shaped.Structured, &kept); err != nil {
		t.Fatal(err)
	}
	if kept.Path != "a.txt" || !kept.OK || !strings.HasPrefix(kept.Text, "é\n") || !strings.HasSuffix(kept.Text, "é\n") || len(kept.Text) < 500 {
		t.Errorf("kept %s", shaped.Structured)
	}
	if note := string(shaped.Content[0]); !strings.Contains(note, "$.text: ") {
		t.Errorf("the note is %s", note)
	}
}

func FuzzShape(f *testing.F) {
	f.Add(`[1,{"a":"é\"]"},[[]]]`, 5)
	f.Add(`{"a":{"b":[1,2,3]},"c":"x"}`, 12)
	f.Add("plain ] text", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 1 || limit > 1<<16 || !utf8.ValidString(text) {
			t.Skip()
		}
		got, _ := shapeText(t, text, limit)
		size := utf8.RuneCountInString(text)
		if size <= limit && got != text {
			t.Fatalf("what fits was changed to %q", got)
		}
		body, _, cut := strings.Cut(got, "\n[Winnow")
		if json.Valid([]byte(text)) && strings.ContainsAny(text[:1], "[{") && cut && !json.Valid([]byte(body)) {
			t.Fatalf("cut into %q", body)
		}
	})
}

// TestShape_html: a text with many of <, > and & is cut as any other.
func TestShape_html(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	html := strings.Repeat("<p>&</p>", 2125)
	if err := enc.Encode(map[string]string{"type": "text", "text": html}); err != nil {
		t.Fatal(err)
	}
	r := shaping.Result{Content: []json.RawMessage{bytes.TrimSpace(text.Bytes())}}
	shaped := shaping.Shape(r, shaping.Options{Chars: 16000, Read: read})
	if shaped.Kind != shaping.Text || len(shaped.Content[0]) > 16100 {
		t.Errorf("%d characters of HTML became %d, cut as %q", len(html), len(shaped.Content[0]), shaped.Kind)
	}
}
