package embed

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTidy(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", maxTextBytes) // twice the bytes
	tests := []struct{ name, text, want string }{
		{"plain", "read a file", "read a file"},
		{"around", " \n read \t", "read"},
		{"blank", " \u3000\n", ""},
		{"invalid", "a\xffb", "a\uFFFDb"},
		{"long", long, long[:maxTextBytes]},
		{"long, cut within a character", "a" + long, "a" + long[:maxTextBytes-2]},
	}
	for _, test := range tests {
		if got := tidy(test.text); got != test.want || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes %.20q, want %d", test.name, len(got), got, len(test.want))
		}
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		texts  []string
		limits Limits
		want   [][]string
	}{
		{"none", nil, Limits{Texts: 2, Bytes: 9}, nil},
		{"by number", []string{"a", "b", "c", "d", "e"}, Limits{Texts: 2, Bytes: 9}, [][]string{{"a", "b"}, {"c", "d"}, {"e"}}},
		{"by bytes", []string{"aaaa", "bbb", "cc", "d"}, Limits{Texts: 9, Bytes: 7}, [][]string{{"aaaa", "bbb"}, {"cc", "d"}}},
		{"too large alone", []string{"a", "bbbbbbbbbb", "c"}, Limits{Texts: 9, Bytes: 3}, [][]string{{"a"}, {"bbbbbbbbbb"}, {"c"}}},
	}
	for _, test := range tests {
		if got := batches(test.texts, test.limits); !slices.EqualFunc(got, test.want, slices.Equal[[]string]) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
