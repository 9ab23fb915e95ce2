package secrets

import (
	"slices"
	"testing"
)

func TestShow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key, value, want string
	}{
		{"LOG_LEVEL", "debug", "debug"},
		{"NODE_OPTIONS", "--require ./evil.js", "--require ./evil.js"},
		{"GITHUB_TOKEN", "ghp_1234567890", Hidden},
		{"GITHUB_TOKEN", "${env:GITHUB_TOKEN}", "${env:GITHUB_TOKEN}"},
		{"Authorization", "Bearer ${input:token}", "Bearer ${input:token}"},
		{"Authorization", "Bearer abcdefgh", Hidden},
		{"API_KEY", "prefix-${input:key}", Hidden},
	} {
		if got := Show(IsName(tt.key), tt.value); got != tt.want {
			t.Errorf("%s=%s: shown as %q, want %q", tt.key, tt.value, got, tt.want)
		}
	}
}

func TestShowArguments(t *testing.T) {
	t.Parallel()
	got := ShowArguments([]string{"-y", "server", "--api-key", "abcdef", "--token=xyz", "--keyfile", "/etc/key.pem", "--secret", "--verbose", "--pass=${input:p}"})
	want := []string{"-y", "server", "--api-key", Hidden, "--token=" + Hidden, "--keyfile", "/etc/key.pem", "--secret", "--verbose", "--pass=${input:p}"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestShowURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://host/mcp":                         "https://host/mcp",
		"https://host/mcp?team=a&api_key=abc#x":    "https://host/mcp?team=a&api_key=" + Hidden + "#x",
		"https://me:word@host/mcp":                 "https://me:" + Hidden + "@host/mcp",
		"https://host/mcp?token=${input:t}&team=a": "https://host/mcp?token=${input:t}&team=a",
	} {
		if got := ShowURL(address); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}
