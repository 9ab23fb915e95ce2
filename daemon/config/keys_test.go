package config

import (
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
