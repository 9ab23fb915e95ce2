package engine

import (
	"strings"
	"testing"
)

// TestPlainAddress: an address in the local network without https needs a
// tunnel; https and the browser's own computer need none.
func TestPlainAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ url, command, open string }{
		{"http://192.168.1.5:8080/proxy/41000/callback", "ssh -L 8080:localhost:8080 192.168.1.5", "http://localhost:8080"},
		{"http://code.lan/proxy/41000/callback", "ssh -L 8080:localhost:80 code.lan", "http://localhost:8080"},
		{"http://localhost.example.com:1234/callback", "ssh -L 1234:localhost:1234 localhost.example.com", "http://localhost:1234"},
		{"https://192.168.1.5/callback", "", ""},
		{"http://127.0.0.1:8080/callback", "", ""},
		{"http://127.1.2.3/callback", "", ""},
		{"http://localhost/callback", "", ""},
		{"http://a.localhost/callback", "", ""},
		{"http://[::1]:1/callback", "", ""},
		{":", "", ""},
	} {
		m, plain := plainAddress(test.url)
		if plain != (test.command != "") || m.Command != test.command {
			t.Errorf("%s: got %v %q, want %q", test.url, plain, m.Command, test.command)
		}
		if plain && (!strings.Contains(m.Next, test.command) || !strings.Contains(m.Next, test.open+",")) {
			t.Errorf("%s: the user is told %q, which lacks %q or %q", test.url, m.Next, test.command, test.open)
		}
	}
}
