package text

import (
	"strings"
	"testing"
)

func TestSignals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"an ordinary message, e.g. this one.", ""},
		{"Convert report.pdf, please", "file document"},
		{"open https://example.com/a.png", "url page"},
		{"write to ann@example.com.", "email"},
		{"SELECT name FROM users", "sql query database"},
		{"select a colour", ""},
		{"read /etc/hosts and ~/notes.md", "file path file path text"},
		{`list C:\data`, "file path"},
		{"resize 'cat.JPG'", "file image"},
		{"either/or 3.14 v1.2 and/or", ""},
	} {
		var got []string
		Signals(test.in, func(word string) { got = append(got, word) })
		if strings.Join(got, " ") != test.want {
			t.Errorf("signals of %q: %q, want %q", test.in, strings.Join(got, " "), test.want)
		}
	}
}
