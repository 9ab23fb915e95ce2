package secrets

import "testing"

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
	} {
		if got := HideIn(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
