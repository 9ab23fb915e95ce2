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
		{"tell #releases, not # or #1", "channel message issue pull request"},
		{"is acme/web#1190 merged?", "issue pull request"},
		{"bump PAY-331 to done, not UTF-8, X-1, pay-331 or PAY-", "issue"},
		{"put 9f3c1ab on the release, not 1234567 or defaced", "commit"},
		{"refund $49.90 or 20 EUR", "payment price amount payment price amount"},
		{"costs 1,200€, $HOME", "payment price amount"},
		{"at 3pm or 10:30, not 10:3 or 300", "event calendar event calendar"},
		{"spam am pm 12:345", ""},
		{"look at localhost:8080, http://localhost:5173/login", "url page browser url page browser"},
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
