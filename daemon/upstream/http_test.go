package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
)

// recorder keeps what an HTTP server was asked.
type recorder struct {
	next http.Handler
	// refuse, which may be nil, answers a request instead of next.
	refuse func(w http.ResponseWriter, r *http.Request, method string) bool

	// news is told of each request, and of the beginning of its answer.
	news broadcast.Broadcast

	mu       sync.Mutex
	requests []*recorded // guarded by mu
}

// until waits until ok, which is asked again after each request, and when an
// answer begins.
func (h *recorder) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	over := time.After(patienceForTests)
	for {
		news := h.news.Wait() // before ok, so that nothing is missed
		if ok() {
			return
		}
		select {
		case <-news:
		case <-over:
			t.Fatalf("did not happen: %s", what)
		}
	}
}

type recorded struct {
	verb, method string
	header       http.Header
	// streams is set when the client has been sent a part of the answer.
	streams atomic.Bool
}

// streamWriter notes that a part of an answer has been sent.
type streamWriter struct {
	http.ResponseWriter

	of   *recorded
	news *broadcast.Broadcast
}

// Flush implements [http.Flusher].
func (w *streamWriter) Flush() {
	w.ResponseWriter.(http.Flusher).Flush()
	w.of.streams.Store(true)
	w.news.Notify()
}

func (h *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string `json:"method"`
	}
	// A GET has no message; its method is then empty.
	_ = json.Unmarshal(body, &message)
	request := &recorded{verb: r.Method, method: message.Method, header: r.Header.Clone()}
	h.mu.Lock()
	h.requests = append(h.requests, request)
	h.mu.Unlock()
	h.news.Notify()
	if h.refuse == nil || !h.refuse(w, r, message.Method) {
		h.next.ServeHTTP(&streamWriter{ResponseWriter: w, of: request, news: &h.news}, r)
	}
}

func (h *recorder) find(verb, method string) *recorded {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.requests {
		if r.verb == verb && r.method == method {
			return r
		}
	}
	return nil
}

func (h *recorder) count(verb, method string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, r := range h.requests {
		if r.verb == verb && r.method == method {
			n++
		}
	}
	return n
}

// serveHTTP starts an HTTP server for the length of the test. It is to be
// called before newTestManager: its end waits for the clients'.
func serveHTTP(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// newHTTPHandler is the server of newToolServer over streamable HTTP.
func newHTTPHandler() http.Handler { return mcpserver.NewStreamableHTTPServer(newToolServer()) }

// onlyModern refuses the handshake, as a server of 2026-07-28 alone does.
func onlyModern(w http.ResponseWriter, _ *http.Request, method string) bool {
	if method != "initialize" {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method initialize"}}`)
	return true
}

// httpKinds are the ways to reach the same real server.
func httpKinds(s *mcpserver.MCPServer) map[string]struct {
	handler   http.Handler
	refuse    func(http.ResponseWriter, *http.Request, string) bool
	transport Transport
	path      string
	era       Era
} {
	type kind = struct {
		handler   http.Handler
		refuse    func(http.ResponseWriter, *http.Request, string) bool
		transport Transport
		path      string
		era       Era
	}
	return map[string]kind{
		"streamable": {mcpserver.NewStreamableHTTPServer(s), nil, wire.HTTP, "/mcp", wire.EraLegacy},
		"modern":     {mcpserver.NewStreamableHTTPServer(s), onlyModern, wire.HTTP, "/mcp", wire.EraModern},
		"sse":        {mcpserver.NewSSEServer(s), nil, wire.SSE, "/sse", wire.EraSSE},
		"fallback":   {mcpserver.NewSSEServer(s), nil, wire.HTTP, "/sse", wire.EraSSE},
	}
}

// TestHTTP_Kinds: on every HTTP transport tools are listed, called, announced
// when they change, cancelled, and the session is ended; the headers of the
// entry are on every request.
func TestHTTP_Kinds(t *testing.T) {
	t.Parallel()
	for name := range httpKinds(nil) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := newToolServer()
			begun, cancelled := make(chan struct{}), make(chan struct{})
			tools.AddTool(mcp.NewTool("hang"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				close(begun)
				<-ctx.Done()
				close(cancelled)
				return nil, ctx.Err()
			})
			kind := httpKinds(tools)[name]
			rec := &recorder{next: kind.handler, refuse: kind.refuse}
			base := serveHTTP(t, rec)
			m := newTestManager(t, Options{StorageDir: t.TempDir()})
			cfg := Config{Name: "web", Transport: kind.transport, URL: base + kind.path, Headers: map[string]string{"X-Api-Key": "key-12345"}}
			apply(t, m, cfg)

			s := waitState(t, m, "web", Ready)
			if s.Status.Era != kind.era || s.Info.Name != "tools" || len(s.Tools) != 2 {
				t.Errorf("era %q, server %+v, tools %q", s.Status.Era, s.Info, toolNames(s))
			}
			if got := firstText(t, call(t, m, "web", "hello", `{"name":"web"}`)); got != "hello web" {
				t.Errorf("answer %q", got)
			}

			verb, method := "GET", ""
			if name == "modern" {
				verb, method = "POST", "subscriptions/listen"
			}
			rec.until(t, "the stream of announcements", func() bool {
				r := rec.find(verb, method)
				return r != nil && r.streams.Load() // the server has registered it
			})
			tools.AddTool(mcp.NewTool("later"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText("late"), nil
			})
			waitFor(t, m, "web", "an announced tool", func(s ServerSnapshot) bool { return slices.Contains(toolNames(s), "later") })

			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := m.Call(ctx, CallRequest{Server: "web", Tool: "hang"})
				ended <- err
			}()
			// The server ignores what cancels a call that it has not begun.
			<-begun
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled call answered %v", err)
			}
			<-cancelled
			if name != "modern" {
				rec.until(t, "notifications/cancelled", func() bool { return rec.find("POST", "notifications/cancelled") != nil })
			}

			apply(t, m) // without the server: unlike the end of the manager, this has seconds
			if name == "streamable" {
				rec.until(t, "the end of the session", func() bool { return rec.find("DELETE", "") != nil })
			}
			closeManager(t, m)
			rec.mu.Lock()
			defer rec.mu.Unlock()
			for _, r := range rec.requests {
				if r.header.Get("X-Api-Key") != "key-12345" {
					t.Errorf("%s %s without the header of the entry", r.verb, r.method)
				}
			}
		})
	}
}

// TestHTTP_EraIsRemembered: the second start of a server of 2026-07-28 does
// not ask for the handshake again.
func TestHTTP_EraIsRemembered(t *testing.T) {
	t.Parallel()
	rec := &recorder{next: mcpserver.NewStreamableHTTPServer(newToolServer()), refuse: onlyModern}
	cfg := Config{Name: "web", URL: serveHTTP(t, rec)}
	dir := t.TempDir()
	for range 2 {
		m := newTestManager(t, Options{StorageDir: dir})
		apply(t, m, cfg)
		waitState(t, m, "web", Ready)
		closeManager(t, m)
	}
	if n := rec.count("POST", "initialize"); n != 1 {
		t.Errorf("the handshake was asked for %d times", n)
	}
}
