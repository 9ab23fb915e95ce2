package embed

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		value string
		want  time.Duration
	}{
		{"", 0},
		{"7", 7 * time.Second},
		{"0", 0},
		{"-7", 0},
		{"1.5", 0},
		{"99999999999999999999", 0},
		{"Sat, 21 Nov 2026 12:00:30 GMT", 30 * time.Second},
		{"Sat, 21 Nov 2026 11:00:00 GMT", 0},
		{"soon", 0},
	}
	for _, test := range tests {
		if got := parseRetryAfter(test.value, now); got != test.want {
			t.Errorf("parseRetryAfter(%q) = %v, want %v", test.value, got, test.want)
		}
	}
}

func TestRefusalKind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status int
		answer string
		want   Kind
	}{
		{400, "input too long", Rejected},
		{400, `{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}`, Auth},
		{401, "", Auth},
		{402, "", Quota},
		{403, "", Auth},
		{404, "model not found", Rejected},
		{408, "", Unavailable},
		{413, "", Rejected},
		{422, "", Rejected},
		{425, "", Unavailable},
		{429, "", Quota},
		{302, "", Rejected},
		{500, "", Unavailable},
		{503, "", Unavailable},
		{529, "", Unavailable},
	}
	for _, test := range tests {
		if got := refusalKind(test.status, []byte(test.answer)); got != test.want {
			t.Errorf("refusalKind(%d, %q) = %s, want %s", test.status, test.answer, got, test.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, answer, want string }{
		{"nothing", " \n", "no explanation"},
		{"lines", "{\n  \"error\":\t\"no\"\n}", `{ "error": "no" }`},
		{"not text", "a\xff\xfeb", "a?b"},
		{"long", strings.Repeat("x", 5000), strings.Repeat("x", 300) + "…"},
		{"long, cut within a character", "x" + strings.Repeat("é", 5000), "x" + strings.Repeat("é", 149) + "…"},
	}
	for _, test := range tests {
		if got := excerpt([]byte(test.answer)); got != test.want || !utf8.ValidString(got) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
