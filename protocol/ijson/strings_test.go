package ijson

import (
	"strings"
	"testing"
)

func TestMapStrings(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"a"`:                                   `"<A>"`,
		`{"a" : "a", "b":[ "a", {"c":"a"} ]}`:   `{"a" : "a<A>", "b":[ "b<A>", {"c":"c<A>"} ]}`,
		`{"a":{"b":"a"},"c":["a"],"d":"a"}`:     `{"a":{"b":"b<A>"},"c":["c<A>"],"d":"d<A>"}`,
		`{"\u0061":"\u0061\ud83d\ude00"}`:       `{"\u0061":"a<A😀>"}`,
		`[{"a":1},"a"]`:                         `[{"a":1},"<A>"]`,
		`{"n": 1.50, "t":true, "A":"A","z":""}`: `{"n": 1.50, "t":true, "A":"A<A>","z":"z<>"}`,
		`7`:                                     `7`,
		`{"a":"a"`:                              `{"a":"a<A>"`,
	} {
		got := MapStrings([]byte(in), func(member, value string) string { return member + "<" + strings.ToUpper(value) + ">" })
		if string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	same := []byte(`{ "a" : "\u0061" }`)
	if got := MapStrings(same, func(_, value string) string { return value }); &got[0] != &same[0] {
		t.Errorf("nothing changed: got %s, want the text itself", got)
	}
}
