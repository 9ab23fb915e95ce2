package config

import (
	"strings"
	"testing"
)

// TestSetServerBlocked edits the list that decides, and nothing else.
func TestSetServerBlocked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before string
		blocked      bool
		want         string
	}{
		{"first", `{"modes": {"m": {}}}`, true, `{"modes": {"m": {"blockedMcpServers": ["s"]}}}`},
		{"another", "{\n  // ours\n  \"modes\": { \"m\": { \"blockedMcpServers\": [\"a\"], }, },\n}", true,
			"{\n  // ours\n  \"modes\": { \"m\": { \"blockedMcpServers\": [\"a\", \"s\"], }, },\n}"},
		{"again", `{"modes": {"m": {"blockedMcpServers": ["s"]}}}`, true, `{"modes": {"m": {"blockedMcpServers": ["s"]}}}`},
		{"unblocked", `{"modes": {"m": {"blockedMcpServers": ["a", "s"]}}}`, false, `{"modes": {"m": {"blockedMcpServers": ["a"]}}}`},
		{"allowed", `{"modes": {"m": {"allowedMcpServers": ["a"]}}}`, false, `{"modes": {"m": {"allowedMcpServers": ["a", "s"]}}}`},
		{"not allowed", `{"modes": {"m": {"allowedMcpServers": ["s"]}}}`, true, `{"modes": {"m": {"allowedMcpServers": []}}}`},
	}
	for _, tt := range tests {
		source := Source{Path: "f", Dialect: Winnow}
		mode, ok := Merge([]File{Parse(source, []byte(tt.before))}, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed}).Mode("m")
		if !ok {
			t.Fatalf("%s: there is no mode", tt.name)
		}
		edit, err := SetServerBlocked(mode, "s", tt.blocked)
		if err != nil {
			t.Fatal(err)
		}
		got, err := edit.Apply([]byte(tt.before))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v\nwant %s", tt.name, got, err, tt.want)
		}
		checkEdit(t, source, []byte(tt.before), got)
	}
}

// TestSetServerBlocked_NotOurs: the files of Roo Code are never written.
func TestSetServerBlocked_NotOurs(t *testing.T) {
	t.Parallel()
	mode := Mode{Slug: "m", Origin: Origin{Source: Source{Path: ".roomodes", Dialect: RooModes}}}
	if _, err := SetServerBlocked(mode, "s", true); err == nil || !strings.Contains(err.Error(), ".roomodes") {
		t.Errorf("got %v", err)
	}
}
