package config

import (
	"reflect"
	"testing"
	"time"
)

// parseEntry parses one entry of a dialect's file.
func parseEntry(t *testing.T, dialect Dialect, text string) (Entry, []Problem) {
	t.Helper()
	f := Parse(Source{Path: "f", Dialect: dialect}, []byte(`{"`+dialect.traits().serversKey+`": {"a": `+text+`}}`))
	if len(f.Entries) != 1 {
		t.Fatalf("%d entries; problems %v", len(f.Entries), f.Problems)
	}
	return f.Entries[0], f.Problems
}

func serverDialects() []Dialect {
	return []Dialect{Winnow, Claude, Roo, Cursor, VSCode, Copilot, Cline, KiloConfig}
}

// TestPolicy_EveryDialect: our own fields work in every file, and say the same.
func TestPolicy_EveryDialect(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tests := []struct {
		text string
		want Policy
	}{
		{`"onlyAllow": ["a", "b"], "disabledTools": ["a"]`, Policy{OnlyAllow: []string{"a", "b"}, DisabledTools: []string{"a"}}},
		{`"onlyAllow": []`, Policy{OnlyAllow: []string{}}},
		{`"toolDescriptionOverrides": {"a": "b"}`, Policy{DescriptionOverrides: map[string]string{"a": "b"}}},
		{`"disabled": true`, Policy{Disabled: &yes}},
		{`"disabled": false`, Policy{Disabled: &no}},
		{`"timeout": 60`, Policy{Timeout: time.Minute}},
		{`"timeout": 1`, Policy{Timeout: time.Second}},
		{`"timeout": 0.999`, Policy{}},
		{`"alwaysAllow": ["*"]`, Policy{AlwaysAllow: []string{"*"}}},
		{`"alwaysLoad": true`, Policy{AlwaysLoad: &AlwaysLoad{All: true}}},
		{`"alwaysLoad": false`, Policy{AlwaysLoad: &AlwaysLoad{}}},
		{`"alwaysLoad": ["a"]`, Policy{AlwaysLoad: &AlwaysLoad{Tools: []string{"a"}}}},
		{`"deferred": false`, Policy{AlwaysLoad: &AlwaysLoad{All: true}}},
		{`"deferred": true`, Policy{AlwaysLoad: &AlwaysLoad{}}},
		{`"deferTools": "never"`, Policy{AlwaysLoad: &AlwaysLoad{All: true}}},
		{`"deferTools": "auto"`, Policy{AlwaysLoad: &AlwaysLoad{}}},
		{`"deferTools": "never", "alwaysLoad": ["a"], "deferred": true`, Policy{AlwaysLoad: &AlwaysLoad{All: true, Tools: []string{"a"}}}},
	}
	for _, dialect := range serverDialects() {
		for _, tt := range tests {
			for _, prefix := range []string{`{"command": "x", `, `{`} {
				e, _ := parseEntry(t, dialect, prefix+tt.text+`}`)
				if e.Invalid != nil || !reflect.DeepEqual(e.Policy, tt.want) {
					t.Errorf("%s: %s%s: got %+v, %v; want %+v", dialect, prefix, tt.text, e.Policy, e.Invalid, tt.want)
				}
				if e.DefinesServer() != (prefix != "{") {
					t.Errorf("%s: %s%s: defines a server: %t", dialect, prefix, tt.text, e.DefinesServer())
				}
			}
		}
	}
}

// TestTimeout_Units: Roo Code counts seconds, Claude Code milliseconds.
func TestTimeout_Units(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect Dialect
		text    string
		want    time.Duration
	}{
		{Roo, "3600", time.Hour}, {Roo, "3601", 0}, {Roo, "1000", 1000 * time.Second}, {Roo, "-1", 0},
		{Claude, "1000", time.Second}, {Claude, "999", 999 * time.Second}, {Claude, "3600000", time.Hour}, {Claude, "3600001", 0},
	} {
		e, problems := parseEntry(t, tt.dialect, `{"command": "x", "timeout": `+tt.text+`}`)
		if e.Policy.Timeout != tt.want || (tt.want == 0) != (len(problems) == 1) || e.Invalid != nil {
			t.Errorf("%s %s: got %v, problems %v", tt.dialect, tt.text, e.Policy.Timeout, problems)
		}
	}
}

// TestTransport_EveryDialect: how each client spells the transports.
func TestTransport_EveryDialect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want Transport // "" when the entry cannot be used
		not  Dialect   // the one dialect that refuses it
	}{
		{`{"command": "x"}`, Stdio, ""},
		{`{"command": "x", "type": "stdio"}`, Stdio, ""},
		{`{"command": "x", "type": "http"}`, "", ""},
		{`{"url": "https://x"}`, HTTP, Roo},
		{`{"url": "https://x", "type": "http"}`, HTTP, ""},
		{`{"url": "https://x", "type": "streamable-http"}`, HTTP, ""},
		{`{"url": "https://x", "type": "streamableHttp"}`, HTTP, ""},
		{`{"url": "https://x", "type": "sse"}`, SSE, ""},
		{`{"url": "https://x", "type": "stdio"}`, "", ""},
		{`{"url": "https://x", "type": "ws"}`, "", ""},
		{`{"url": "x", "type": "sse"}`, "", ""},
		{`{"url": "ftp://x", "type": "sse"}`, "", ""},
		{`{"url": "https://", "type": "sse"}`, "", ""},
		{`{"url": "${env:URL}", "type": "sse"}`, SSE, ""},
		{`{"url": "http://localhost:1/mcp?a=b", "type": "http"}`, HTTP, ""},
		{`{"command": "", "type": "stdio"}`, "", ""},
		{`{"command": "x", "url": "https://x", "type": "http"}`, "", ""},
		{`{"type": "stdio"}`, "", ""},
		{`{"args": []}`, "", ""},
		{`[]`, "", ""}, {`null`, "", ""}, {`"npx x"`, "", ""},
	}
	for _, dialect := range serverDialects() {
		for _, tt := range tests {
			e, problems := parseEntry(t, dialect, tt.text)
			want := tt.want
			if tt.not == dialect {
				want = ""
			}
			if usable := e.Invalid == nil; usable != (want != "") || usable && e.Definition.Transport != want {
				t.Errorf("%s: %s: got %q, %v; want %q", dialect, tt.text, e.Definition.Transport, e.Invalid, want)
			}
			if e.Invalid != nil && (len(problems) == 0 || e.Invalid.Server != "a" || e.Invalid.Line != 1) {
				t.Errorf("%s: %s: invalid for %v, problems %v", dialect, tt.text, *e.Invalid, problems)
			}
		}
	}
}

// TestUnknownKeys: every unknown key of ours is reported, and one of another
// client's only when it looks like ours.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key          string
		ours, theirs bool
	}{
		{"onlyAlow", true, true}, {"defer_loading", true, true}, {"alwaysload", true, true},
		{"watchPaths", true, false}, {"description", true, false}, {"autoApprove", true, false}, {"comand", true, false},
	} {
		for _, dialect := range serverDialects() {
			_, problems := parseEntry(t, dialect, `{"command": "x", "`+tt.key+`": true}`)
			want := tt.theirs
			if dialect == Winnow {
				want = tt.ours
			}
			if (len(problems) == 1) != want {
				t.Errorf("%s: %s: problems %v, want one: %t", dialect, tt.key, problems, want)
			}
		}
	}
}

// TestBadEntryAlone: whatever one entry is, the others are as without it.
func TestBadEntryAlone(t *testing.T) {
	t.Parallel()
	bad := []string{
		`1`, `[]`, `null`, `{"command": 1}`, `{"command": "x", "args": {}}`, `{"url": []}`, `{"env": 1}`, `{"command": "x", "env": {"A": {}}}`,
		`{"command": "x", "cwd": 1}`, `{"command": "x", "envFile": 1}`, `{"url": "https://x", "headers": {"A": 1}}`, `{"type": 1}`,
		`{"url": "https://x", "oauth": 1}`, `{"url": "https://x", "oauth": {"scopes": [1], "callbackPort": "x", "clientId": 1, "clientSecret": 1}}`,
		`{"onlyAllow": {}}`, `{"onlyAllow": [1]}`, `{"disabledTools": 1}`, `{"disabled": 1}`,
	}
	for _, dialect := range serverDialects() {
		for _, text := range bad {
			f := Parse(Source{Dialect: dialect}, []byte(`{"`+dialect.traits().serversKey+`": {"a": {"command": "a"}, "bad": `+text+`, "z": {"command": "z"}}}`))
			if f.Broken || len(f.Entries) != 3 || len(f.Problems) == 0 {
				t.Fatalf("%s: %s: %+v", dialect, text, f)
			}
			a, b, z := f.Entries[0], f.Entries[1], f.Entries[2]
			if a.Invalid != nil || z.Invalid != nil || a.Definition.Command != "a" || z.Definition.Command != "z" {
				t.Errorf("%s: %s: neighbours %+v, %+v", dialect, text, a, z)
			}
			if b.Invalid == nil {
				t.Errorf("%s: %s: can be used: %+v", dialect, text, b)
			}
		}
	}
}

// TestHarmlessMistakes: a mistake in what only tunes a server leaves it usable.
func TestHarmlessMistakes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"timeout": "1"`, `"timeout": 0`, `"alwaysLoad": 1`, `"deferred": 1`, `"deferTools": 1`, `"alwaysAllow": 1`,
		`"toolDescriptionOverrides": []`, `"toolDescriptionOverrides": {"a": 1}`, `"onlyAllow": "a"`, `"disabledTools": "a"`,
	} {
		for _, dialect := range serverDialects() {
			e, problems := parseEntry(t, dialect, `{"command": "x", `+text+`}`)
			if e.Invalid != nil || len(problems) != 1 {
				t.Errorf("%s: %s: invalid %v, problems %v", dialect, text, e.Invalid, problems)
			}
		}
	}
}
