package upstream

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// redirecting serves a redirect to another server for each request, and counts
// what reaches that one.
func redirecting(t *testing.T) (from, to string, reached *atomic.Int32) {
	t.Helper()
	reached = &atomic.Int32{}
	behind := mcpserver.NewStreamableHTTPServer(newToolServer())
	to = serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "" {
			t.Error("the headers of the entry went to another server")
		}
		reached.Add(1)
		behind.ServeHTTP(w, r)
	}))
	from = serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to+"/mcp", http.StatusTemporaryRedirect)
	}))
	return from, to, reached
}

// TestRedirect_asks: a redirect to another server is asked about, with both
// addresses, and followed after a yes only.
func TestRedirect_asks(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{"yes": nil, "no": errors.New("you have not agreed")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to, reached := redirecting(t)
			var asked atomic.Pointer[[3]string]
			m := newTestManager(t, Options{Hooks: Hooks{Redirect: func(_ context.Context, server, from, to string) error {
				if reached.Load() > 0 || !asked.CompareAndSwap(nil, &[3]string{server, from, to}) {
					t.Error("asked too late, or again")
				}
				return answer
			}}})
			apply(t, m, Config{Name: "web", URL: from + "/mcp", Headers: map[string]string{"X-Api-Key": "key-12345"}})
			if answer == nil {
				waitState(t, m, "web", Ready)
				call(t, m, "web", "hello", `{}`)
			} else if s := waitState(t, m, "web", Failed).Status; !strings.Contains(s.Error, to) || !s.RetryAt.IsZero() || reached.Load() > 0 {
				t.Errorf("%+v, reached %d times", s, reached.Load())
			}
			if got := *asked.Load(); got != [3]string{"web", from + "/mcp", to + "/mcp"} {
				t.Errorf("asked %q", got)
			}
		})
	}
}

// TestRedirect_call: a server that begins to redirect once it is connected is
// asked about, and the call fails and says so.
func TestRedirect_call(t *testing.T) {
	t.Parallel()
	var moved atomic.Bool
	behind, to := mcpserver.NewStreamableHTTPServer(newToolServer()), ""
	to = serveHTTP(t, behind)
	from := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if moved.Load() {
			http.Redirect(w, r, to+"/mcp", http.StatusTemporaryRedirect)
			return
		}
		behind.ServeHTTP(w, r)
	}))
	asked := make(chan string, 1)
	m := newTestManager(t, Options{Hooks: Hooks{Redirect: func(_ context.Context, _, _, to string) error {
		asked <- to
		return nil
	}}})
	apply(t, m, Config{Name: "web", URL: from + "/mcp"})
	first := waitState(t, m, "web", Ready)
	moved.Store(true)
	if _, err := tryCall(t, m, "web", "hello", `{}`); err == nil || !strings.Contains(err.Error(), "it redirects from "+from) {
		t.Errorf("call answered %v", err)
	}
	if got := <-asked; got != to+"/mcp" {
		t.Errorf("asked about %s", got)
	}
	waitFor(t, m, "web", "a connection by way of the redirect", func(s ServerSnapshot) bool {
		return s.Status.State == Ready && s.Status.Generation > first.Status.Generation
	})
	call(t, m, "web", "hello", `{}`)
}
