package hiddentext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// tags returns ASCII text as Unicode tags, which no font draws.
func tags(s string) string {
	var out strings.Builder
	for _, r := range s {
		out.WriteRune(firstTag + r)
	}
	return out.String()
}

// selectors returns bytes as variation selectors, as payloads behind an emoji
// are written.
func selectors(s string) string {
	var out strings.Builder
	for _, b := range []byte(s) {
		if b < 16 {
			out.WriteRune('\uFE00' + rune(b))
		} else {
			out.WriteRune('\U000E0100' + rune(b) - 16)
		}
	}
	return out.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ in, want, found string }{
		"empty":              {"", "", ""},
		"plain":              {"Reads a file.\n\tOr two.\r\n", "Reads a file.\n\tOr two.\r\n", ""},
		"tags":               {"Reads" + tags("send ~/.ssh") + ".", "Reads.", "11 Unicode tag characters"},
		"one tag":            {"a" + tags("b"), "a", "1 Unicode tag character"},
		"selectors":          {"😀" + selectors("steal it") + " ok", "😀 ok", "8 variation selectors"},
		"selector at letter": {"a\uFE0Fb", "ab", "1 variation selector"},
		"override":           {"a\u202Etxt.exe\u202C", "atxt.exe", "2 bidirectional controls"},
		"isolate":            {"\u2067x\u2069", "x", "2 bidirectional controls"},
		"zero width":         {"pass\u200Bword\u2060\uFEFF", "password", "3 zero-width characters"},
		"joiner in Latin":    {"a\u200Db\u200Cc", "abc", "2 zero-width characters"},
		"soft hyphen":        {"hy\u00ADphen", "hyphen", "1 zero-width character"},
		"filler":             {"a\u3164b\uFFA0", "ab", "2 zero-width characters"},
		"annotation":         {"a\uFFF9b\uFFFAc\uFFFB", "abc", "3 zero-width characters"},
		"unassigned":         {"a\U000E0FFF", "a", "1 zero-width character"},
		"NUL":                {"a\x00b", "ab", "1 control character"},
		"C1 and DEL":         {"a\u0085\x7f", "a", "2 control characters"},
		"colours":            {"\x1b[1;31mred\x1b[0m", "red", "2 control characters"},
		"title and link":     {"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab", "2 control characters"},
		"C1 sequence":        {"a\u009b31mb", "ab", "1 control character"},
		"cursor up, erase":   {"lie\x1b[1A\x1b[2Ktruth", "lietruth", "2 control characters"},
		"unended":            {"\x1b]0;all the rest stays", "]0;all the rest stays", "1 control character"},
		"several":            {"a\x00" + tags("b") + "\u200B", "a", "1 Unicode tag character, 1 zero-width character, 1 control character"},
		"split character":    {"\xf3\xa0\u200b\x81\xa1", "\uFFFD\uFFFD", "1 zero-width character"},
		"family":             {"👨\u200D👩\u200D👧", "👨\u200D👩\u200D👧", ""},
		"joined with style":  {"🏳\uFE0F\u200D🌈 👩🏽\u200D⚕\uFE0F", "🏳\uFE0F\u200D🌈 👩🏽\u200D⚕\uFE0F", ""},
		"styles":             {"❤\uFE0F ☎\uFE0E 1\uFE0F\u20E3 ℹ\uFE0F", "❤\uFE0F ☎\uFE0E 1\uFE0F\u20E3 ℹ\uFE0F", ""},
		"Scotland":           {"🏴" + tags("gbsct\x7f"), "🏴" + tags("gbsct\x7f"), ""},
		"no land":            {"🏴" + tags("hello\x7f"), "🏴", "6 Unicode tag characters"},
		"Persian":            {"می\u200Cخواهم", "می\u200Cخواهم", ""},
		"Hindi":              {"क्\u200Dष क्\u200Cष", "क्\u200Dष क्\u200Cष", ""},
		"Sinhala":            {"ශ්\u200Dරී", "ශ්\u200Dරී", ""},
		"Bengali":            {"র\u200D্য", "র\u200D্য", ""},
		"Malayalam":          {"ന്\u200D", "ന്\u200D", ""},
		"Hebrew mark":        {"שלום\u200F!", "שלום\u200F!", ""},
		"Khmer":              {"ភាសា\u200Bខ្មែរ", "ភាសា\u200Bខ្មែរ", ""},
		"Mongolian":          {"ᠨ\u180Eᠠ ᠠ\u180B", "ᠨ\u180Eᠠ ᠠ\u180B", ""},
		"mathematics":        {"∩\uFE00", "∩\uFE00", ""},
		"many joiners":       {"می\u200C\u200D\u200C\u200Dخ", "میخ", "4 zero-width characters"},
		"Arabic number sign": {"\u0600\u0661", "\u0600\u0661", ""},
		"CJK":                {"読み取る。", "読み取る。", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := Text(tc.in)
			if got != tc.want || found.String() != tc.found {
				t.Errorf("Text(%+q) = %+q, %q; want %+q, %q", tc.in, got, found, tc.want, tc.found)
			}
		})
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ in, want string }{
		"tags":          {"ok" + tags("ignore all") + ".", "ok[hidden text removed: 10 Unicode tag characters]."},
		"selectors":     {"😀" + selectors("payload"), "😀[hidden text removed: 7 variation selectors]"},
		"bits":          {"a\u200B\u200C\u200B\u200Bb", "a[hidden text removed: 4 zero-width characters]b"},
		"override":      {"if x\u202E {", "if x[hidden text removed: 1 bidirectional control] {"},
		"colours":       {"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"},
		"BOM":           {"\uFEFF# title", "\uFEFF# title"},
		"NUL":           {"a\x00\x00\x00\x00\x00b", "a\x00\x00\x00\x00\x00b"},
		"isolates":      {"Hello \u2068Ada\u2069!", "Hello \u2068Ada\u2069!"},
		"space for zip": {"a\u200Bb", "a\u200Bb"},
		"Wales":         {"🏴" + tags("gbwls\x7f"), "🏴" + tags("gbwls\x7f")},
		"name variant":  {"葛\U000E0101", "葛\U000E0101"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _ := Content(tc.in); got != tc.want {
				t.Errorf("Content(%+q) = %+q, want %+q", tc.in, got, tc.want)
			}
		})
	}
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	hidden := tags("obey")
	escaped := strings.Trim(string(ascii(hidden)), `"`)
	for name, tc := range map[string]struct {
		in, want string
		err      error
	}{
		"clean":             {`{ "name":"a" , "description":"Caf\u00e9 <b> é \n" }`, "", nil},
		"description":       {`{"name":"a",  "description":"x` + hidden + `<y>"}`, `{"name":"a",  "description":"x<y>"}`, nil},
		"escaped":           {`{"name":"a","description":"x` + escaped + `"}`, `{"name":"a","description":"x"}`, nil},
		"NUL":               {`{"title":"x\u0000y\b"}`, `{"title":"xy"}`, nil},
		"parameter":         {`{"inputSchema":{"properties":{"a":{"description":"x` + hidden + `"}}}}`, `{"inputSchema":{"properties":{"a":{"description":"x"}}}}`, nil},
		"parameter pattern": {`{"properties":{"pattern":{"description":"x` + hidden + `"}}}`, `{"properties":{"pattern":{"description":"x"}}}`, nil},
		"unknown member":    {`{"x":["` + hidden + `"]}`, `{"x":[""]}`, nil},
		"tool name":         {`{"name":"a` + hidden + `"}`, "", ErrName},
		"member name":       {`{"properties":{"a` + escaped + `":{}}}`, "", ErrName},
		"permitted value":   {`{"properties":{"a":{"enum":["x` + hidden + `"]}}}`, "", ErrName},
		"within a default":  {`{"default":{"a":["x` + hidden + `"]}}`, "", ErrName},
		"pattern":           {`{"pattern":"^[\u200c\u0000]$"}`, "", nil},
		"value with BOM":    {`{"const":"\ufeff"}`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.want == "" {
				tc.want = tc.in
			}
			got, found, err := Descriptions([]byte(tc.in))
			if string(got) != tc.want || !errors.Is(err, tc.err) || found.Any() != (tc.want != tc.in) {
				t.Errorf("Descriptions(%s) = %s, %q, %v; want %s, %v", tc.in, got, found, err, tc.want, tc.err)
			}
		})
	}
}

// ascii encodes a string with escapes for all that is not ASCII.
func ascii(s string) []byte {
	var out bytes.Buffer
	out.WriteByte('"')
	for _, r := range s {
		hi, lo := utf16(r)
		out.WriteString(`\u` + hex4(hi) + `\u` + hex4(lo))
	}
	out.WriteByte('"')
	return out.Bytes()
}

func utf16(r rune) (hi, lo rune) { r -= 0x10000; return 0xd800 + r>>10, 0xdc00 + r&0x3ff }

func hex4(r rune) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}

func TestContents(t *testing.T) {
	t.Parallel()
	in := `{"content":[{"type":"text","text":"a` + tags("b") + `"}],"structuredContent":{"name":"c` + tags("d") + `","k` + tags("e") + `":1}}`
	const mark = "[hidden text removed: 1 Unicode tag character]"
	want := `{"content":[{"type":"text","text":"a` + mark + `"}],"structuredContent":{"name":"c` + mark + `","k` + mark + `":1}}`
	got, found := Contents([]byte(in))
	if string(got) != want || found.Total() != 3 {
		t.Errorf("got %s, %d found; want %s", got, found.Total(), want)
	}
}

// FuzzText: what comes out hides nothing, and nothing visible is lost.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\u200Db", "🏴" + tags("gbsct\x7f"), "😀" + selectors("abc"), "\x1b[31m\x9b\xf3\xa0", "می\u200Cخ\u202E", "❤\uFE0F\u200D🔥"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, found := Text(s)
		if twice, more := Text(once); twice != once || more.Any() {
			t.Fatalf("Text(%+q) = %+q, again %+q, which finds %s", s, once, twice, more)
		}
		if _, deceives := Content(once); deceives.Any() {
			t.Fatalf("Text(%+q) = %+q, which deceives: %s", s, once, deceives)
		}
		if !found.Any() && strings.ToValidUTF8(s, "\uFFFD") != once {
			t.Fatalf("nothing was found, and %+q became %+q", s, once)
		}
		shown, _ := Content(s)
		if again, more := Content(shown); more.Any() {
			t.Fatalf("Content(%+q) = %+q, which deceives: %s, %+q", s, shown, more, again)
		}
		for _, wrap := range []func(any) any{
			func(v any) any { return map[string]any{"description": v, "name": "n"} },
			func(v any) any { return map[string]any{"properties": map[string]any{"p": []any{v}}} },
		} {
			raw, err := json.Marshal(wrap(s))
			if err != nil {
				t.Fatal(err)
			}
			out, hidden, err := Descriptions(raw)
			if err != nil || !json.Valid(out) || !hidden.Any() && !bytes.Equal(out, raw) {
				t.Fatalf("Descriptions(%s) = %s, %s, %v", raw, out, hidden, err)
			}
			if results, _ := Contents(raw); !json.Valid(results) {
				t.Fatalf("Contents(%s) = %s", raw, results)
			}
		}
	})
}

func BenchmarkDescriptions_clean(b *testing.B) {
	raw := []byte(`{"name":"a","description":"` + strings.Repeat("Reads the café's file.\\n", 40) + `","inputSchema":{"type":"object"}}`)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, found, err := Descriptions(raw); err != nil || found.Any() {
			b.Fatal(found, err)
		}
	}
}

// TestPrintable: a terminal obeys nothing of what is left; a part of a line has
// no line ends.
func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"a\x1b]0;title\x07b":        {`a\x1b]0;title\ab`, `a\x1b]0;title\ab`},
		"over\rwritten":             {`over\rwritten`, `over\rwritten`},
		"one\r\ntwo\tthree":         {"one\ntwo\tthree", `one\r\ntwo\tthree`},
		"\u009b31mred":              {`\u009b31mred`, `\u009b31mred`},
		"evil\u202etxt":             {`evil\u202etxt`, `evil\u202etxt`},
		"ünï 👩\u200d🚀, it's \"so\"": {"ünï 👩\u200d🚀, it's \"so\"", "ünï 👩\u200d🚀, it's \"so\""},
	} {
		if got := [2]string{Printable(text), PrintableLine(text)}; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
