package clean

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func maskerOf(cfg Settings) *Redactor {
	r := &Redactor{}
	r.Absorb(cfg)
	return r
}

// TestRedactor_mask: what a server sends back of its credentials is masked,
// however its encoder writes it, and nothing else is.
func TestRedactor_mask(t *testing.T) {
	t.Parallel()
	r := maskerOf(Settings{
		URL:          "https://me:url-password@host/mcp?api_key=query-secret&team=platform-team",
		Args:         []string{"--api-key", "flag-secret", "--token=joined-secret", "--level", "level-debug"},
		Env:          map[string]string{"API_TOKEN": "s\"p/e\\c<i>al-é😀", "SHORT_KEY": "short", "REGION": "eu-central-1", "LATER_TOKEN": "${input:later}"},
		Headers:      map[string]string{"Authorization": "Bearer bearer-secret", "X-Team": "platform-team"},
		ClientSecret: "client-secret",
	})
	for _, secret := range []string{
		"url-password", "query-secret", "flag-secret", "joined-secret", "bearer-secret", "client-secret",
		`s\"p/e\\c<i>al-é😀`, `s\"p/e\\c\u003ci\u003eal-é😀`, `s\"p/e\\c<i>al-\u00e9\ud83d\ude00`, `s\"p\/e\\c<i>al-é😀`,
	} {
		raw := json.RawMessage(`{"content":[{"type":"text","text":"before ` + secret + ` after"}]}`)
		if !json.Valid(raw) {
			t.Fatalf("the test's own text is no JSON: %s", raw)
		}
		got, found := r.mask(raw)
		if want := `{"content":[{"type":"text","text":"before [redacted] after"}]}`; string(got) != want || !found {
			t.Errorf("%s: got %s, want it masked", secret, got)
		}
	}
	for _, harmless := range []string{"short", "eu-central-1", "platform-team", "level-debug", "${input:later}", "secret"} {
		raw := json.RawMessage(`{"text":"` + harmless + `"}`)
		if got, found := r.mask(raw); !bytes.Equal(got, raw) || found {
			t.Errorf("%s: got %s, want it as it was", harmless, got)
		}
	}
}

// TestRedactor_maskStringsOnly: what is masked is JSON as before; numbers, names
// of members and what a request repeats stay.
func TestRedactor_maskStringsOnly(t *testing.T) {
	t.Parallel()
	r := &Redactor{}
	for _, value := range []string{"12345678", "structuredContent", "user-and-password"} {
		r.Credential(value)
	}
	for raw, want := range map[string]string{
		`{"n":12345678,"f":-0.12345678e2,"s":"12345678"}`:                                           `{"n":12345678,"f":-0.12345678e2,"s":"[redacted]"}`,
		`{"structuredContent":{"a":"structuredContent"}}`:                                           `{"structuredContent":{"a":"[redacted]"}}`,
		`{"structuredContent":{"12345678":{"a-12345678":1,"a-[redacted]":2}}}`:                      `{"structuredContent":{"[redacted]":{"a-[redacted]":2}}}`,
		`{"12345678":["12345678",12345678]}`:                                                        `{"12345678":["[redacted]",12345678]}`,
		`{"uri":"db://user-and-password@h","name":"user-and-password","title":"user-and-password"}`: `{"uri":"db://user-and-password@h","name":"user-and-password","title":"[redacted]"}`,
	} {
		got, found := r.mask(json.RawMessage(raw), "uri", "name")
		if string(got) != want || !found {
			t.Errorf("%s: got %s (%t), want %s", raw, got, found, want)
		}
	}
}

// TestRedactor_maskLongest: a credential that begins with another is masked
// whole.
func TestRedactor_maskLongest(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"password", "password-and-more"}, {"password-and-more", "password"}} {
		r := &Redactor{}
		for _, value := range order {
			r.Credential(value)
		}
		if got, _ := r.mask(json.RawMessage(`"password-and-more"`)); string(got) != `"[redacted]"` {
			t.Errorf("%q: got %s", order, got)
		}
	}
}

// BenchmarkMask measures what a result of 1 MB pays for ten credentials that it
// does not hold.
func BenchmarkMask(b *testing.B) {
	r := &Redactor{}
	for i := range 10 {
		r.Credential(strings.Repeat("x", i) + "-credential-of-a-server")
	}
	raw := json.RawMessage(`{"text":"` + strings.Repeat("some words of a result ", 1<<20/23) + `"}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, found := r.mask(raw); found {
			b.Fatal("found")
		}
	}
}
