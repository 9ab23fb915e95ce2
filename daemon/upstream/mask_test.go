package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

func maskerOf(cfg Config) *redactor {
	r := &redactor{}
	r.absorb(cfg)
	return r
}

// TestRedactor_mask: what a server sends back of its credentials is masked,
// however its encoder writes it, and nothing else is.
func TestRedactor_mask(t *testing.T) {
	t.Parallel()
	r := maskerOf(Config{
		URL:     "https://me:url-password@host/mcp?api_key=query-secret&team=platform-team",
		Args:    []string{"--api-key", "flag-secret", "--token=joined-secret", "--level", "level-debug"},
		Env:     map[string]string{"API_TOKEN": "s\"p/e\\c<i>al-é😀", "SHORT_KEY": "short", "REGION": "eu-central-1", "LATER_TOKEN": "${input:later}"},
		Headers: map[string]string{"Authorization": "Bearer bearer-secret", "X-Team": "platform-team"},
		OAuth:   protocol.OAuthEntry{ClientSecret: "client-secret"},
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
	r := &redactor{}
	for _, value := range []string{"12345678", "structuredContent", "user-and-password"} {
		r.credential(value)
	}
	for raw, want := range map[string]string{
		`{"n":12345678,"f":-0.12345678e2,"s":"12345678"}`:                                           `{"n":12345678,"f":-0.12345678e2,"s":"[redacted]"}`,
		`{"structuredContent":{"a":"structuredContent"}}`:                                           `{"structuredContent":{"a":"[redacted]"}}`,
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
		r := &redactor{}
		for _, value := range order {
			r.credential(value)
		}
		if got, _ := r.mask(json.RawMessage(`"password-and-more"`)); string(got) != `"[redacted]"` {
			t.Errorf("%q: got %s", order, got)
		}
	}
}

// BenchmarkMask measures what a result of 1 MB pays for ten credentials that it
// does not hold.
func BenchmarkMask(b *testing.B) {
	r := &redactor{}
	for i := range 10 {
		r.credential(strings.Repeat("x", i) + "-credential-of-a-server")
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

// TestMask_answers: a credential of digits makes no number invalid, so that a
// call that ran is not told as failed; what a list names can be asked for.
func TestMask_answers(t *testing.T) {
	t.Parallel()
	cfg := scriptedConfig(t, "s", upstreamtest.Script{Replies: map[string][]byte{
		"initialize":        []byte(`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"n","version":"1"}}`),
		"tools/call write":  []byte(`"result":{"content":[{"type":"text","text":"wrote 12345678"}],"structuredContent":{"id":12345678,"12345678":"12345678"}}`),
		"tools/call refuse": []byte(`"error":{"code":-32000,"message":"no 12345678","data":{"id":12345678,"why":"12345678"}}`),
		"resources/list":    []byte(`"result":{"resources":[{"uri":"db://12345678/a","name":"12345678","description":"of 12345678"}],"nextCursor":"12345678"}`),
		"prompts/list":      []byte(`"result":{"prompts":[{"name":"12345678","description":"of 12345678"}]}`),
	}})
	cfg.Env["ACCOUNT_TOKEN"] = "12345678"
	m := newTestManager(t, Options{})
	apply(t, m, cfg)
	waitState(t, m, "s", Ready)
	c := cleaner{log: &ring{}, redact: maskerOf(Config{Env: map[string]string{"TOKEN": "12345678"}})}
	if got := string(c.notice("notifications/resources/updated", json.RawMessage(`{"uri":"db://12345678/a"}`))); got != `{"uri":"db://12345678/a"}` {
		t.Errorf("an update of a resource: got %s, want its URI as it was", got)
	}
	if got := string(c.notice("notifications/message", json.RawMessage(`{"data":{"uri":"db://12345678/a"}}`))); got != `{"data":{"uri":"db://[redacted]/a"}}` {
		t.Errorf("a message: got %s, want it masked", got)
	}
	want := `{"content":[{"type":"text","text":"wrote [redacted]"}],"structuredContent":{"id":12345678,"12345678":"[redacted]"}}`
	if got := string(call(t, m, "s", "write", "").Raw); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err := tryCall(t, m, "s", "refuse", "")
	var refused *RPCError
	if !errors.As(err, &refused) || refused.Message != "no [redacted]" || string(refused.Data) != `{"id":12345678,"why":"[redacted]"}` {
		t.Errorf("got %v with %+v, want the strings masked", err, refused)
	}
	for method, want := range map[string]string{
		"resources/list": `{"resources":[{"uri":"db://12345678/a","name":"12345678","description":"of [redacted]"}],"nextCursor":"12345678"}`,
		"prompts/list":   `{"prompts":[{"name":"12345678","description":"of [redacted]"}]}`,
	} {
		if raw, err := m.Request(t.Context(), Request{Server: "s", Method: method}); err != nil || string(raw) != want {
			t.Errorf("%s: got %s, %v; want %s", method, raw, err, want)
		}
	}
}

// TestMask_questions: what a server asks the user, or the client's model, holds
// no credential of its own. The names of a form's properties stay, since the
// answer is given by them.
func TestMask_questions(t *testing.T) {
	t.Parallel()
	c := newMCPConn("s", &ring{}, maskerOf(Config{Env: map[string]string{"TOKEN": "top-secret-value"}}))
	t.Cleanup(func() { c.cancel() })
	asked := ""
	ctx := context.WithValue(t.Context(), callerKey{}, decliningCaller(&asked))
	for method, params := range map[mcp.MCPMethod]string{
		mcp.MethodElicitationCreate:     `{"message":"Send top-secret-value to whom?","requestedSchema":{"type":"object","properties":{"to":{"type":"string","description":"of top-secret-value"}}}}`,
		mcp.MethodSamplingCreateMessage: `{"messages":[{"role":"user","content":{"type":"text","text":"Encode top-secret-value"}}],"systemPrompt":"It is top-secret-value","maxTokens":9}`,
	} {
		asked = ""
		if _, err := c.callers.ask(ctx, method, json.RawMessage(params)); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if want := strings.ReplaceAll(params, "top-secret-value", "[redacted]"); asked != want {
			t.Errorf("%s: the client was asked %s, want %s", method, asked, want)
		}
	}
}
