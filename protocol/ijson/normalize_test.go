package ijson

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestNormalize(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"valid stays byte for byte":      {` {"b" : 1.0e1, "a":[ "\u0041" ]} `, ` {"b" : 1.0e1, "a":[ "\u0041" ]} `},
		"lone surrogate":                 {`{"a":"cut \ud83d"}`, "{\"a\":\"cut \ufffd\"}"},
		"pair of surrogates stays":       {`["\ud83d\ude00","\ud83d"]`, "[\"\\ud83d\\ude00\",\"\ufffd\"]"},
		"invalid UTF-8":                  {"{\"a\": \"x\xffy\" }", "{\"a\": \"x\ufffdy\" }"},
		"invalid name":                   {`{"\udc00":1}`, "{\"\ufffd\":1}"},
		"repeated name, last wins":       {`{"a":1, "b":2, "a":3}`, `{"b":2, "a":3}`},
		"repeated three times":           {`{"a":1,"a":2,"a":3}`, `{"a":3}`},
		"repeated, written otherwise":    {`{"a":1,"\u0061":2}`, `{"\u0061":2}`},
		"names that become equal":        {`{"\ud800":1,"\ud801":2}`, "{\"\ufffd\":2}"},
		"faults in what is taken out":    {`{"a":{"b":1,"b":"\ud83d"},"a":0}`, `{"a":0}`},
		"repeated within":                {`[{"x":{"y":1,"y":2}},{"y":1}]`, `[{"x":{"y":2}},{"y":1}]`},
		"numbers keep their spelling":    {`[12345678901234567890.50,"\ud83d"]`, "[12345678901234567890.50,\"\ufffd\"]"},
		"a string alone":                 {`"\udead"`, "\"\ufffd\""},
		"the rest of a list is the same": {`[ {"a" : 1} ,{"a":1,"a":2}, {"c" : 1} ]`, `[ {"a" : 1} ,{"a":2}, {"c" : 1} ]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Normalize([]byte(tt.in))
			if err != nil || string(got) != tt.want {
				t.Errorf("Normalize(%s)\n got %s, %v\nwant %s", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestNormalize_refuses(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := map[string]struct {
		in     string
		offset int64
	}{
		"NaN":                {`{"a":NaN}`, 5},
		"Infinity":           {`[1,-Infinity]`, 4},
		"cut":                {`{"a":"b`, 7},
		"more than one":      {`{} {}`, 2},
		"empty":              {``, 0},
		"a control byte":     {"[\"\x00\"]", 2},
		"deeper than ours":   {deep(MaxDepth + 1), -1},
		"deeper than theirs": {deep(20_000), -1},
		"deep and at fault":  {`["\ud83d",` + deep(20_000) + `]`, -1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Normalize([]byte(tt.in))
			var syntax *SyntaxError
			switch {
			case tt.offset < 0 && !errors.Is(err, ErrDepth):
				t.Errorf("got %.40s, %v, want ErrDepth", got, err)
			case tt.offset >= 0 && (!errors.As(err, &syntax) || syntax.Offset != tt.offset):
				t.Errorf("got %.40s, %v, want a SyntaxError at %d", got, err, tt.offset)
			}
		})
	}
	if _, err := Normalize([]byte(deep(MaxDepth))); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
}

// TestNormalize_validCostsNothing: valid text is not copied.
func TestNormalize_validCostsNothing(t *testing.T) {
	in := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}`)
	got, err := Normalize(in)
	if err != nil || &got[0] != &in[0] || len(got) != len(in) {
		t.Errorf("got another slice (%v)", err)
	}
}

// FuzzNormalize: whatever comes, the result is I-JSON that says the same, and
// valid text is left alone.
func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{
		`{"a":"\ud83d"}`, "{\"a\":\"\xff\"}", `{"a":1,"a":2}`, `{"a":NaN}`, `[[[["\udc00"]]]]`,
		`{"\ud800":{"x":1,"x":[2]},"\ud801":2}`, ` [1 , 2.50e-3 ] `, `{"a":{"a":1,"a":{}},"a":[]}`, `"\u0000\u2028"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := string(in)
		got, err := Normalize(in)
		if string(in) != before {
			t.Fatalf("Normalize changed its input %q to %q", before, in)
		}
		if err != nil {
			if json.Valid(in) && !errors.Is(err, ErrDepth) {
				t.Fatalf("Normalize(%q): %v, but it is JSON", in, err)
			}
			return
		}
		if !jsontext.Value(got).IsValid() {
			t.Fatalf("Normalize(%q) = %q, which is no I-JSON", in, got)
		}
		if jsontext.Value(in).IsValid() && string(got) != before {
			t.Fatalf("Normalize(%q) = %q, but it was valid", in, got)
		}
		// encoding/json puts U+FFFD too, and keeps the last of a name.
		var want, have any
		if json.Unmarshal(in, &want) != nil || json.Unmarshal(got, &have) != nil {
			return // a number beyond float64
		}
		if !reflect.DeepEqual(have, want) {
			t.Fatalf("Normalize(%q) = %q\n says %v\n want %v", in, got, have, want)
		}
	})
}

// FuzzMembers: no text makes it fail, and of valid objects it finds what a
// decoder finds.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":{"c":[1,"}"]}}`, `{"id":1,"result":NaN}`, `{`, `{"a`, `{"a":"\`, ` { "a" : [ ] , "b" : "," } `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		found := map[string]any{}
		for name, raw := range Members(in) {
			var v any
			_ = json.Unmarshal(raw, &v)
			found[name] = v
		}
		if got := ReplaceString(in, "a", strings.ToUpper); jsontext.Value(in).IsValid() && !jsontext.Value(got).IsValid() {
			t.Errorf("ReplaceString(%q) = %q, which is no JSON", in, got)
		}
		want := map[string]any{}
		if !jsontext.Value(in).IsValid() || json.Unmarshal(in, &want) != nil || want == nil {
			return
		}
		if !reflect.DeepEqual(found, want) {
			t.Errorf("Members(%q) = %v, want %v", in, found, want)
		}
	})
}

func TestIsObject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{`{}`: true, " {\"a\":1}\n": true, ``: false, `[]`: false, `null`: false, `{`: false, `{} {}`: false} {
		if got := IsObject([]byte(text)); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}

func TestMembers_ofBrokenObjects(t *testing.T) {
	tests := map[string]struct{ in, name, want string }{
		"NaN behind":   {`{"id":7,"result":{"x":NaN}}`, "id", "7"},
		"NaN before":   {`{"result":{"x":NaN,"id":8}, "id" : "seven" }`, "id", `"seven"`},
		"depth before": {`{"result":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `,"id":7}`, "id", "7"},
		"cut":          {`{"jsonrpc":"2.0","id":7,"result":{"x":[`, "id", "7"},
		"cut in it":    {`{"jsonrpc":"2.0","id":7`, "id", ""},
		"cut behind":   {`{"id":7,"result":{"x":[1,`, "result", `{"x":[1,`},
		"no object":    {`[{"id":7}]`, "id", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(Member([]byte(tt.in), tt.name)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReplaceString(t *testing.T) {
	up := strings.ToUpper
	tests := map[string]struct{ in, want string }{
		"replaced, the rest the same": {`{"x" : 1, "uri" : "a\u0062", "y":[ ]}`, `{"x" : 1, "uri" : "AB", "y":[ ]}`},
		"missing":                     {`{"x":{"uri":"a"}}`, `{"x":{"uri":"a"}}`},
		"no string":                   {`{"uri":1}`, `{"uri":1}`},
		"no object":                   {`["uri"]`, `["uri"]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(ReplaceString([]byte(tt.in), "uri", up)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCanonicalAsWritten(t *testing.T) {
	t.Parallel()
	text := func(in string) string { return string(CanonicalAsWritten([]byte(in))) }
	a := text(`{ "b": 1.0, "a": {"y":12345678901234567890,"x":"é"} }`)
	if a != text(`{"a":{"x":"\u00e9","y":12345678901234567890},"b":1.0}`) {
		t.Errorf("equal arguments differ: %s", a)
	}
	if a == text(`{"a":{"x":"é","y":12345678901234567891},"b":1.0}`) {
		t.Error("different numbers are the same")
	}
	if got := text(`{`); got != "{" {
		t.Errorf("%q", got)
	}
}
