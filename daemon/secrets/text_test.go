package secrets

import (
	"fmt"
	"strings"
	"testing"
)

func TestHideIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Authorization: Bearer abc.def-123":               "Authorization: Bearer (hidden)",
		"GET /?api_key=k3y0123456&page=2 HTTP/1.1":        "GET /?api_key=(hidden) HTTP/1.1",
		`{"token": "gho_0123456789", "level": "info123"}`: `{"token": "(hidden)", "level": "info123"}`,
		"DB_PASSWORD=hunter2hunter2 retries=3":            "DB_PASSWORD=(hidden) retries=3",
		"Error: set GITHUB_TOKEN: no such variable":       "Error: set GITHUB_TOKEN: no such variable",
		"session: established":                            "session: established",
		"listening on port 12345678":                      "listening on port 12345678",
		"key: short1":                                     "key: short1",

		// A name behind another, and in a URL.
		"Error: token=abc12345678":                              "Error: token=(hidden)",
		"Error: --api-key=abcd12345678 is invalid":              "Error: --api-key=(hidden) is invalid",
		"Command failed: npx srv --api-key abcd12345678 --v":    "Command failed: npx srv --api-key (hidden) --v",
		"invalid request: api_key=sk-abcdef123456 rejected":     "invalid request: api_key=(hidden) rejected",
		"GET https://h/cb?access_token=abc123456789":            "GET https://h/cb?access_token=(hidden)",
		"failed: password:hunter2hunter2":                       "failed: password:(hidden)",
		"error: bearer abc.def-123":                             "error: bearer (hidden)",
		"Authorization: token ghp_0123456789":                   "Authorization: token (hidden)",
		"secret => sk-abcdef123456":                             "secret => (hidden)",
		`{\"a\": {\"api_key\": \"sk-abcdef123456\", \"b\": 1}}`: `{\"a\": {\"api_key\": \"(hidden)\", \"b\": 1}}`,
		`password="two words 2" user=me`:                        `password="(hidden)" user=me`,
		"Invalid API key:\n2024-01-01T00:00:00 started":         "Invalid API key:\n2024-01-01T00:00:00 started",

		// What a URL says of its user, however short.
		"DATABASE_URL=postgres://u:p4ssw0rd@db/x":          "DATABASE_URL=postgres://u:(hidden)@db/x",
		"AUTH_DB=postgres://u:word@db/x":                   "AUTH_DB=postgres://u:(hidden)@db/x",
		"clone https://x-access-token:ghs_1@h1.example/r2": "clone https://x-access-token:(hidden)@h1.example/r2",
		"clone https://ghp_0123456789@host/r":              "clone https://(hidden)@host/r",
		"ssh://git@host/r":                                 "ssh://git@host/r",
		"http://localhost:4873/@scope/package@1.0.0":       "http://localhost:4873/@scope/package@1.0.0",

		// Sentences, places and parameters.
		"SyntaxError: Unexpected token: expected ) on line 12345678": "SyntaxError: Unexpected token: expected ) on line 12345678",
		"at getToken (/app/auth.js:1234:567)":                        "at getToken (/app/auth.js:1234:567)",
		"https://auth.example.com:8443/realms/12345678":              "https://auth.example.com:8443/realms/12345678",
		"Basic authentication required":                              "Basic authentication required",
		`WWW-Authenticate: Bearer resource_metadata="https://h/x"`:   `WWW-Authenticate: Bearer resource_metadata="https://h/x"`,
		"token=${env:TOKEN_12345678}":                                "token=${env:TOKEN_12345678}",
	} {
		if got := HideIn(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// BenchmarkHideIn shows that the time for a byte does not grow with the text,
// however many names stand in it.
func BenchmarkHideIn(b *testing.B) {
	for _, part := range []string{"key:", "auth:1:", `key="`, `key='a"`, `key=\"`, "//a:", "--key ", "bearer ", "a line of words\n"} {
		for _, size := range []int{1 << 12, 1 << 16} {
			text := strings.Repeat(part, size/len(part))
			b.Run(fmt.Sprintf("%q/%d", part, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					HideIn(text)
				}
			})
		}
	}
}
