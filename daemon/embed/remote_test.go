package embed

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// reply is one scripted answer of an API.
type reply struct {
	status  int
	header  map[string]string
	body    string
	latency time.Duration
	err     error
}

const goodBody = `{"data":[{"index":0,"embedding":[3,4]}]}`

// script is an http.RoundTripper that gives its replies in order, the last one
// again and again. It works within synctest, where sockets do not.
type script struct {
	replies []reply
	asked   []time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	next := s.replies[min(len(s.asked), len(s.replies)-1)]
	s.asked = append(s.asked, time.Now())
	select {
	case <-time.After(next.latency):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if next.err != nil {
		return nil, next.err
	}
	header := http.Header{}
	for name, value := range next.header {
		header.Set(name, value)
	}
	return &http.Response{
		StatusCode: next.status, Header: header, Body: io.NopCloser(strings.NewReader(next.body)), Request: r,
	}, nil
}

// newScripted returns a provider that gets scripted answers.
func newScripted(t *testing.T, config Config, replies ...reply) (Provider, *script) {
	t.Helper()
	config.Provider, config.Model = "openai", "m"
	transport := &script{replies: replies}
	provider, err := New(config, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return provider, transport
}

// TestRemote_Retries counts requests and the seconds they take, in synctest's
// clock.
func TestRemote_Retries(t *testing.T) {
	t.Parallel()
	good := reply{status: 200, body: goodBody}
	busy := reply{status: 429, header: map[string]string{"Retry-After": "12"}}
	tests := []struct {
		name    string
		purpose Purpose
		replies []reply
		asked   int
		kind    Kind // empty: success
		atLeast time.Duration
		atMost  time.Duration
	}{
		{"good", ForDocument, []reply{good}, 1, "", 0, 0},
		{"a fault that passes", ForDocument, []reply{{status: 503}, {status: 500}, good}, 3, "", 750 * time.Millisecond, 2250 * time.Millisecond},
		{"a network fault that passes", ForDocument, []reply{{err: errors.New("connection reset")}, good}, 2, "", 250 * time.Millisecond, 750 * time.Millisecond},
		{"a fault that stays", ForDocument, []reply{{status: 500}}, tries, Unavailable, 1750 * time.Millisecond, 5250 * time.Millisecond},
		{"asked to wait", ForDocument, []reply{busy, good}, 2, "", 12 * time.Second, 12 * time.Second},
		{"asked to wait too long", ForDocument, []reply{{status: 429, header: map[string]string{"Retry-After": "3600"}}}, 1, Quota, 0, 0},
		{"no credit", ForDocument, []reply{{status: 429, body: `{"error":{"code":"insufficient_quota"}}`}}, 1, Quota, 0, 0},
		{"bad key", ForDocument, []reply{{status: 401}}, 1, Auth, 0, 0},
		{"bad request", ForDocument, []reply{{status: 400}}, 1, Rejected, 0, 0},
		{"not JSON", ForDocument, []reply{{status: 200, body: "<html>"}}, 1, Garbled, 0, 0},
		{"a deaf server", ForDocument, []reply{{latency: time.Hour}}, tries, Unavailable, 4 * 30 * time.Second, 4*30*time.Second + 6*time.Second},
		{"a query is asked once", ForQuery, []reply{{status: 503}, good}, 1, Unavailable, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				provider, transport := newScripted(t, Config{}, test.replies...)
				start := time.Now()
				_, err := provider.Embed(t.Context(), test.purpose, []string{"a"})
				took := time.Since(start)
				if len(transport.asked) != test.asked {
					t.Errorf("asked %d times, want %d", len(transport.asked), test.asked)
				}
				if (err == nil) != (test.kind == "") || err != nil && kindOf(err) != test.kind {
					t.Errorf("error %v, want kind %q", err, test.kind)
				}
				if took < test.atLeast || took > test.atMost {
					t.Errorf("took %v, want %v to %v", took, test.atLeast, test.atMost)
				}
			})
		})
	}
}

func TestRemote_GivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, replies := range map[string][]reply{
			"while it is asked":   {{latency: time.Hour}},
			"between two answers": {{status: 503, header: map[string]string{"Retry-After": "15"}}},
		} {
			provider, _ := newScripted(t, Config{}, replies...)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			start := time.Now()
			_, err := provider.Embed(ctx, ForDocument, []string{"a"})
			if took := time.Since(start); took != time.Second || err == nil {
				t.Errorf("%s: %v after %v, want an error after 1s", name, err, took)
			}
			cancel()
		}
	})
}

func TestRemote_DeadlineIsRecognisable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider, _ := newScripted(t, Config{}, reply{latency: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := provider.Embed(ctx, ForQuery, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v does not wrap context.DeadlineExceeded", err)
		}
	})
}

// TestRemote_Errors checks what a user reads, and that it never shows the key.
func TestRemote_Errors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config Config
		reply  reply
		want   []string
	}{
		{"refused key", Config{}, reply{status: 401, body: `{"error": "Incorrect API key: sk-very-secret"}`},
			[]string{"openai", "https://api.openai.com/v1/embeddings", "HTTP 401", "Incorrect API key: [secret]", "valid API key"}},
		{"no such model", Config{}, reply{status: 404, body: "model m not found"},
			[]string{"HTTP 404", "model m not found", "winnow.embeddings.model"}},
		{"no server", Config{}, reply{err: errors.New("dial tcp: connection refused")},
			[]string{"connection refused", "winnow.embeddings.url"}},
		{"another API", Config{}, reply{status: 200, body: `{"hello": "sk-very-secret"}`},
			[]string{"0 vectors for 1 texts", "winnow.embeddings.url"}},
		{"other dimension", Config{Dimensions: 256}, reply{status: 200, body: goodBody},
			[]string{"asked for 256 dimensions, got 2", "winnow.embeddings.dimensions"}},
		{"too large", Config{}, reply{status: 200, body: strings.Repeat(" ", answerBytes+1)},
			[]string{"larger than 64 MB"}},
		{"moved", Config{}, reply{status: 307, header: map[string]string{"Location": "https://evil.example/"}},
			[]string{"HTTP 307", "redirected to https://evil.example/"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.config.Key = "sk-very-secret"
			provider, _ := newScripted(t, test.config, test.reply)
			_, err := provider.Embed(t.Context(), ForQuery, []string{"a"})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not mention %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "very") {
				t.Errorf("%q shows the key", err)
			}
		})
	}
}

// TestRemote_RedirectsAreNotFollowed keeps the key from travelling on.
func TestRemote_RedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer thief.Close()
	server := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	for _, name := range []string{"azure", "gemini"} {
		provider, err := New(Config{Provider: name, URL: server.URL, Model: "m", Key: "k"}, server.Client())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := provider.Embed(t.Context(), ForDocument, []string{"a"}); kindOf(err) != Rejected {
			t.Errorf("%s: %v", name, err)
		}
	}
	if http.DefaultClient.CheckRedirect != nil {
		t.Error("the client that was lent has been changed")
	}
}
