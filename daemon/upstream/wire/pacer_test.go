package wire

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestPacer: streams that do not last are asked for less and less often.
func TestPacer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		began := time.Now()
		took := func() time.Duration {
			before := time.Now()
			if err := p.wait(t.Context()); err != nil {
				t.Error(err)
			}
			return time.Since(before)
		}
		if d := took(); d != 0 {
			t.Errorf("the first request waits %s", d)
		}
		want := time.Second
		for range 6 {
			if d := took(); d < want*8/10 || d > want*12/10+time.Millisecond {
				t.Errorf("waits %s, want about %s", d, want)
			}
			want *= 2
		}
		time.Sleep(StableAfter)
		if d := took(); d > 2*time.Second {
			t.Errorf("after a stream that lasted it waits %s (%s in all)", d, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := p.wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("given up: %v", err)
		}
	})
}

func TestIsListening(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method string
		header map[string]string
		want   bool
	}{
		"announcements":   {"GET", map[string]string{"Accept": "text/event-stream", "Mcp-Protocol-Version": "2025-11-25"}, true},
		"resumed answer":  {"GET", map[string]string{"Accept": "text/event-stream", "Mcp-Protocol-Version": "2025-11-25", "Last-Event-ID": "7"}, false},
		"the old way":     {"GET", map[string]string{"Accept": "text/event-stream"}, false},
		"metadata":        {"GET", map[string]string{"Accept": "application/json", "Mcp-Protocol-Version": "2026-07-28"}, false},
		"call":            {"POST", map[string]string{"Accept": "text/event-stream", "Mcp-Protocol-Version": "2025-11-25"}, false},
		"end of session":  {"DELETE", map[string]string{"Mcp-Protocol-Version": "2025-11-25"}, false},
		"accepts by list": {"GET", map[string]string{"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25"}, false},
	}
	for name, test := range tests {
		r := &http.Request{Method: test.method, Header: http.Header{}}
		for key, value := range test.header {
			r.Header.Set(key, value)
		}
		if got := isListening(r); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestNoStreamHere: the answers that mean that there is no stream become the
// one that mcp-go understands; those with another meaning stay.
func TestNoStreamHere(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{
		200: 200, 400: 405, 401: 401, 403: 405, 404: 404, 405: 405, 406: 405, 415: 405, 429: 429, 500: 500, 501: 405, 503: 503,
	} {
		response := &http.Response{StatusCode: status}
		noStreamHere(response)
		if response.StatusCode != want {
			t.Errorf("%d became %d, want %d", status, response.StatusCode, want)
		}
	}
}
