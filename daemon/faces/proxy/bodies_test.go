package proxy

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

func packed(t *testing.T, encoding, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zstd":
		var err error
		if w, err = zstd.NewWriter(&out); err != nil {
			t.Fatal(err)
		}
	default:
		return []byte(text)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A body that is packed is unpacked and cut; one from which nothing is cut, or that
// is not what it says, comes to the provider as it was.
func TestHandler_packed(t *testing.T) {
	const plain = `{"messages":[{"role":"user","content":"hi"}]}`
	for _, encoding := range []string{"gzip", "zstd"} {
		for name, tt := range map[string]struct {
			body []byte
			cut  bool
		}{
			"cut": {packed(t, encoding, request), true}, "nothing to cut": {packed(t, encoding, plain), false}, "broken": {[]byte(request), false},
		} {
			p := newProvider(t, whole(`{"choices":[{"message":{"content":"ok"}}]}`))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, newProxy(t, p, newRouter()).URL+"/to/test/chat/completions", bytes.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Encoding", encoding)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			switch sent := p.headers[0].Get("Content-Encoding"); {
			case !tt.cut && (p.bodies[0] != string(tt.body) || sent != encoding):
				t.Errorf("%s, %s: the provider got %q as %q", encoding, name, p.bodies[0], sent)
			case tt.cut && (sent != "" || tools(t, p.bodies[0]) != "bash mcp_load"):
				t.Errorf("%s, %s: the provider got %q as %q", encoding, name, p.bodies[0], sent)
			}
		}
	}
}

// A body that stalls is given up, and one for which there is no room is refused;
// the memory of both is free again.
func TestHandler_bodiesAreBounded(t *testing.T) {
	p := newProvider(t, whole(`{}`))
	u, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	h := New(Options{Router: newRouter(), Endpoints: func() map[string]Endpoint { return map[string]Endpoint{"test": {Name: "test", URL: u}} }})
	h.bodies = &bodies{time: 50 * time.Millisecond, most: 1 << 20}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)

	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /to/test/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
	answer, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
		t.Errorf("a body that stalls: got %q, %v, want 408", answer, err)
	}
	h.bodies.time = time.Minute
	if status, answer := post(t, server.URL+"/to/test/chat/completions", strings.Repeat(" ", 2<<20)); status != http.StatusServiceUnavailable {
		t.Errorf("more than all may hold: got %d %s, want 503", status, answer)
	}
	if status, answer := post(t, server.URL+"/to/test/chat/completions", request); status != http.StatusOK {
		t.Errorf("after it: got %d %s, want 200", status, answer)
	}
	server.Close() // waits for what is under way
	if held := h.bodies.held.Load(); held != 0 {
		t.Errorf("%d bytes are held after the requests", held)
	}
}

// An escaped slash stays one, and no path leads out of the endpoint.
func TestHandler_paths(t *testing.T) {
	var asked string
	provider := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.RequestURI }))
	t.Cleanup(provider.Close)
	u, err := url.Parse(provider.URL + "/base%2Fof/v1")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(Guard("secret", New(Options{Router: newRouter(), Endpoints: func() map[string]Endpoint { return map[string]Endpoint{"test": {Name: "test", URL: u}} }})))
	t.Cleanup(server.Close)
	for path, want := range map[string]string{
		"models/org%2Fmodel?x=1":         "/base%2Fof/v1/models/org%2Fmodel?x=1",
		"models/a":                       "/base%2Fof/v1/models/a",
		"models/m%C3%BC:generateContent": "/base%2Fof/v1/models/m%C3%BC:generateContent",
		"../admin":                       "", "%2e%2e/admin": "", "a/..%2fadmin": "", `a\..\admin`: "",
	} {
		asked = ""
		r := &http.Request{Method: http.MethodGet, Host: "localhost", URL: &url.URL{Scheme: "http", Host: server.Listener.Addr().String(), Opaque: "/t/secret/to/test/" + path}, Header: http.Header{}}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if asked != want {
			t.Errorf("%s: the provider was asked for %q (%s), want %q", path, asked, resp.Status, want)
		}
	}
}

// A page of another site cannot ask by GET, which names no origin.
func TestGuard_pages(t *testing.T) {
	server := httptest.NewServer(Guard("", New(Options{Router: newRouter(), Endpoints: func() map[string]Endpoint { return nil }})))
	t.Cleanup(server.Close)
	for site, want := range map[string]int{"": http.StatusOK, "none": http.StatusOK, "cross-site": http.StatusForbidden, "same-site": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/winnow/stats", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%q: got %s, want %d", site, resp.Status, want)
		}
	}
}

// A client that has a tool of the loader's name gets no second one.
func TestHandler_oneLoader(t *testing.T) {
	p := newProvider(t, whole(`{}`))
	post(t, newProxy(t, p, newRouter()).URL+"/to/test/chat/completions",
		strings.Replace(request, `{"name":"bash"}`, `{"name":"mcp_load"}`, 1))
	if got, want := tools(t, p.bodies[0]), "mcp_load memory_create mcp__other__go"; got != want {
		t.Errorf("the provider got %s, want %s", got, want)
	}
}
