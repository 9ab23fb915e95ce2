package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// TestHTTP_SessionForgotten: a server that was restarted, and knows no session
// any more, gets a new one, and the call is made on it.
func TestHTTP_SessionForgotten(t *testing.T) {
	t.Parallel()
	forgetful := &forgetfulHandler{}
	forgetful.restart()
	base := serveHTTP(t, forgetful)
	m := newTestManager(t, Options{})
	apply(t, m, Config{Name: "web", URL: base})
	before := waitState(t, m, "web", Ready)
	forgetful.restart()
	r, err := tryCall(t, m, "web", "hello", `{"name":"again"}`)
	if err != nil {
		// The connection is young: the first call may fail with the cause, but
		// the server is back soon after.
		waitFor(t, m, "web", "a new session", func(s ServerSnapshot) bool {
			return s.Status.Generation > before.Status.Generation && s.Status.State == Ready
		})
		r = call(t, m, "web", "hello", `{"name":"again"}`)
	}
	if got := firstText(t, r); got != "hello again" {
		t.Errorf("got %q, want %q", got, "hello again")
	}
}

// forgetfulHandler is an MCP server that can be restarted.
type forgetfulHandler struct {
	mu   sync.Mutex
	next http.Handler
}

func (h *forgetfulHandler) restart() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next = mcpserver.NewStreamableHTTPServer(newToolServer(), mcpserver.WithStateful(true))
}

func (h *forgetfulHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	next := h.next
	h.mu.Unlock()
	next.ServeHTTP(w, r)
}

// TestHTTP_Refusals: what a server answers instead of MCP is shown, without
// secrets.
func TestHTTP_Refusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status      int
		contentType string
		body        string
		want        string
	}{
		"forbidden":   {http.StatusForbidden, "application/json", `{"error":"bad key key-12345"}`, `HTTP 403 Forbidden: {"error":"bad key [redacted]"}`},
		"not found":   {http.StatusNotFound, "text/html", "<h1>nothing</h1>", "HTTP 404 Not Found"},
		"server down": {http.StatusBadGateway, "text/plain", "upstream is\ngone", "HTTP 502 Bad Gateway: upstream is gone"},
		"no MCP":      {http.StatusOK, "text/html", "<h1>hello</h1>", "unexpected content type"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			m := newTestManager(t, Options{})
			apply(t, m, Config{Name: "web", URL: base + "/mcp?token=key-12345", Headers: map[string]string{"X-Api-Key": "key-12345"}})
			s := waitState(t, m, "web", Failed)
			if !strings.Contains(s.Status.Error, test.want) || strings.Contains(s.Status.Error, "key-12345") {
				t.Errorf("error %q, want %q", s.Status.Error, test.want)
			}
		})
	}
}

// TestHTTP_Unreachable: nobody listens there, and the address is shown without
// its password.
func TestHTTP_Unreachable(t *testing.T) {
	t.Parallel()
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	m := newTestManager(t, Options{})
	address := strings.Replace(dead.URL, "http://", "http://user:hunter22@", 1) + "/mcp?api_key=s3cret-value"
	apply(t, m, Config{Name: "web", URL: address})
	s := waitState(t, m, "web", Failed)
	if !strings.Contains(s.Status.Error, "no connection to 127.0.0.1:") || strings.Contains(s.Status.Error, "dial tcp") || strings.Contains(s.Status.Error, "hunter22") || strings.Contains(s.Status.Error, "s3cret") {
		t.Errorf("error %q", s.Status.Error)
	}
}

// TestHTTP_Hangs: a server that accepts requests and answers none fails to
// start in time, and does not hold up the end.
func TestHTTP_Hangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	base := serveHTTP(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(release) })
	for _, transport := range []Transport{wire.HTTP, wire.SSE} {
		m := newTestManager(t, Options{})
		apply(t, m, Config{Name: "web", Transport: transport, URL: base, StartTimeout: 200 * time.Millisecond})
		if s := waitState(t, m, "web", Failed); s.Status.Error != "it did not answer within 200ms" {
			t.Errorf("%s: error %q", transport, s.Status.Error)
		}
		closeManager(t, m)
	}
}

// TestHTTP_Timeout: a call to a tool that hangs ends at the server's timeout.
func TestHTTP_Timeout(t *testing.T) {
	t.Parallel()
	for name := range httpKinds(nil) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := newToolServer()
			release := make(chan struct{})
			tools.AddTool(mcp.NewTool("hang"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				<-release
				return mcp.NewToolResultText("late"), nil
			})
			kind := httpKinds(tools)[name]
			base := serveHTTP(t, &recorder{next: kind.handler, refuse: kind.refuse})
			t.Cleanup(func() { close(release) })
			m := newTestManager(t, Options{})
			apply(t, m, Config{Name: "web", Transport: kind.transport, URL: base + kind.path, Timeout: 300 * time.Millisecond})
			waitState(t, m, "web", Ready)
			_, err := tryCall(t, m, "web", "hang", `{}`)
			if !errors.As(err, new(*TimeoutError)) {
				t.Errorf("call answered %v", err)
			}
		})
	}
}

// TestHTTP_HugeAnswer: an answer above the limit fails its call, and the
// server stays.
func TestHTTP_HugeAnswer(t *testing.T) {
	t.Parallel()
	tools := newToolServer()
	tools.AddTool(mcp.NewTool("big"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(strings.Repeat("x", 1<<20)), nil
	})
	base := serveHTTP(t, mcpserver.NewStreamableHTTPServer(tools))
	m := newTestManager(t, Options{})
	apply(t, m, Config{Name: "web", URL: base, MaxMessageBytes: 100_000})
	waitState(t, m, "web", Ready)
	_, err := tryCall(t, m, "web", "big", `{}`)
	if err == nil || !strings.Contains(err.Error(), "more than the 100000 bytes") {
		t.Errorf("call answered %v", err)
	}
	call(t, m, "web", "hello", `{}`)
}

// TestHTTP_StreamEnds: the end of an SSE stream is the end of the connection,
// which is made again.
func TestHTTP_StreamEnds(t *testing.T) {
	t.Parallel()
	sse := mcpserver.NewSSEServer(newToolServer())
	base := serveHTTP(t, sse)
	m := newTestManager(t, Options{})
	apply(t, m, Config{Name: "web", Transport: wire.SSE, URL: base + "/sse"})
	first := waitState(t, m, "web", Ready)
	sse.CloseSessions()
	waitFor(t, m, "web", "another connection", func(s ServerSnapshot) bool {
		return s.Status.State == Ready && s.Status.Generation > first.Status.Generation
	})
	call(t, m, "web", "hello", `{}`)
}

// TestHTTP_CutShort: an answer that ends before it is complete ends its call at
// once, and the next call is answered.
func TestHTTP_CutShort(t *testing.T) {
	t.Parallel()
	const begun = `{"jsonrpc":"2.0","id":`
	for name, cut := range map[string]func(http.ResponseWriter){
		"a JSON body": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "500")
			_, _ = io.WriteString(w, begun)
		},
		"a JSON body in chunks": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, begun)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"an event": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: message\ndata: "+begun)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"a stream that is closed": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, ": soon\n\n")
		},
		"nothing": func(w http.ResponseWriter) { w.Header().Set("Content-Type", "application/json") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := mcpserver.NewStreamableHTTPServer(newToolServer(), mcpserver.WithStateful(true))
			var cuts sync.Once
			base := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				if strings.Contains(string(body), "tools/call") {
					isFirst := false
					cuts.Do(func() { isFirst = true })
					if isFirst {
						cut(w)
						return
					}
				}
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				next.ServeHTTP(w, r)
			}))
			m := newTestManager(t, Options{})
			apply(t, m, Config{Name: "web", URL: base, Timeout: time.Minute})
			waitState(t, m, "web", Ready)
			begun := time.Now()
			_, err := tryCall(t, m, "web", "hello", `{"name":"you"}`)
			if took := time.Since(begun); err == nil || took > 20*time.Second {
				t.Fatalf("got %v after %s, want an error at once", err, took)
			}
			if strings.Contains(err.Error(), "timeout") {
				t.Errorf("got %q, want nothing of a timeout", err)
			}
			t.Log(err)
			waitState(t, m, "web", Ready)
			if r, err := tryCall(t, m, "web", "hello", `{"name":"again"}`); err != nil {
				t.Errorf("the next call: %v", err)
			} else if got := firstText(t, r); got != "hello again" {
				t.Errorf("the next call: got %q", got)
			}
		})
	}
}
