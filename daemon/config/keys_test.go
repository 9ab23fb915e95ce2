package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func jsonKeys(v any) []string {
	var keys []string
	for f := range reflect.TypeOf(v).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return sorted(keys)
}

// TestKeysMatchProtocol: what the schema promises is what the parser reads.
func TestKeysMatchProtocol(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		documented any
		read       []string
	}{
		{"server", protocol.ServerEntry{}, EntryKeys()},
		{"oauth", protocol.OAuthEntry{}, oauthKeys()},
		{"sandbox", protocol.SandboxEntry{}, sandboxKeys()},
		{"mode", protocol.ModeEntry{}, modeKeys()},
		{"endpoint", protocol.EndpointEntry{}, endpointKeys()},
	}
	for _, tt := range tests {
		if got, want := sorted(tt.read), jsonKeys(tt.documented); !slices.Equal(got, want) {
			t.Errorf("%s: read %q, documented %q", tt.name, got, want)
		}
	}
}

// TestEveryKeyIsDecoded: a key in the lists that no decoder takes would be
// reported as unknown.
func TestEveryKeyIsDecoded(t *testing.T) {
	t.Parallel()
	for _, key := range EntryKeys() {
		e := &entryDecoder{decoder: &decoder{locate: func(place) position { return position{} }}, given: map[string]place{}}
		m := member{key: key, value: node{kind: kindObject}}
		if !e.definitionField(m) && !e.policyField(m) {
			t.Errorf("nobody decodes %q", key)
		}
	}
}

// TestBoundsMatchProtocol: what the schema refuses is what the parser refuses.
func TestBoundsMatchProtocol(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		documented any
		entry      string // with the key and its value
	}{
		{protocol.ServerEntry{}, `"command": "x", %q: %d`},
		{protocol.SandboxEntry{}, `"command": "x", "sandbox": {%q: %d}`},
		{protocol.OAuthEntry{}, `"url": "https://x", "oauth": {%q: %d}`},
	} {
		bounded := 0
		for f := range reflect.TypeOf(tt.documented).Fields() {
			limits := f.Tag.Get("limits")
			if limits == "" {
				continue
			}
			bounded++
			var least, most int
			if _, err := fmt.Sscanf(limits, "%d,%d", &least, &most); err != nil {
				t.Fatalf("%s: the limits %q: %v", f.Name, limits, err)
			}
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			for value, fits := range map[int]bool{least - 1: false, least: true, most: true, most + 1: false} {
				text := fmt.Sprintf(`{"servers": {"s": {`+tt.entry+`}}}`, key, value)
				if file := Parse(Source{Path: "/winnow.json", Dialect: Winnow}, []byte(text)); (len(file.Problems) == 0) != fits {
					t.Errorf("%s: got %v; documented are %s", text, file.Problems, limits)
				}
			}
		}
		if bounded == 0 {
			t.Errorf("%T has no limits", tt.documented)
		}
	}
}

// TestOAuthScope: opencode's name for the scopes is none of Winnow's.
func TestOAuthScope(t *testing.T) {
	t.Parallel()
	const oauth = `{"a": {"url": "https://x", "oauth": {"scope": "a b"}}}`
	for _, tt := range []struct {
		dialect  Dialect
		scopes   []string
		problems int
	}{
		{KiloConfig, []string{"a", "b"}, 0}, {Winnow, nil, 1}, {VSCode, nil, 0},
	} {
		file := Parse(Source{Path: "/f", Dialect: tt.dialect}, fmt.Appendf(nil, `{%q: %s}`, tt.dialect.ServersKey(), oauth))
		if got := file.Entries[0].Definition.OAuth.Scopes; !slices.Equal(got, tt.scopes) || len(file.Problems) != tt.problems {
			t.Errorf("%s: got %q with %v, want %q", tt.dialect, got, file.Problems, tt.scopes)
		}
	}
}
