package wire

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestHTTP_ProxyAuthorization: a proxy that wants to know who asks is told.
func TestHTTP_ProxyAuthorization(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	proxy := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host + " " + r.Header.Get("Proxy-Authorization")
		http.Error(w, "not here", http.StatusBadGateway)
	}))
	tr, err := Network{ProxyURL: proxy, NoProxy: "none.invalid", ProxyAuthorization: "Basic eA=="}.HTTPTransport()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&http.Client{Transport: tr}).Get("https://far.invalid/"); err == nil { //nolint:bodyclose,noctx // there is none
		t.Error("the proxy let it through")
	}
	if got, want := <-asked, "CONNECT far.invalid:443 Basic eA=="; got != want {
		t.Errorf("the proxy was asked %q, want %q", got, want)
	}
}

// TestLink_HeadersStayHome: the entry's headers go to the entry's origin only.
func TestLink_HeadersStayHome(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 2)
	away := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys <- r.Header.Get("X-Key")
		http.NotFound(w, r)
	}))
	base := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys <- r.Header.Get("X-Key")
		http.Redirect(w, r, away+"/x", http.StatusTemporaryRedirect)
	}))
	l, err := newLink(Config{URL: base, Headers: map[string]string{"X-Key": "secret"}, MaxMessageBytes: 1000}, Network{}, func(string, string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := l.client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if home, elsewhere := <-keys, <-keys; home != "secret" || elsewhere != "" {
		t.Errorf("got the keys %q at home and %q elsewhere", home, elsewhere)
	}
	if f := l.failure(); f.status != http.StatusNotFound {
		t.Errorf("last refusal %+v", f)
	}
}

// TestBoundedBody counts a body as a whole, and a stream by its events.
func TestBoundedBody(t *testing.T) {
	t.Parallel()
	event := "event: message\ndata: 0123456789\n\n"
	tests := map[string]struct {
		body   string
		stream bool
		fits   bool
	}{
		"small body":       {strings.Repeat("x", 40), false, true},
		"large body":       {strings.Repeat("x", 41), false, false},
		"many events":      {strings.Repeat(event, 100), true, true},
		"many crlf events": {strings.Repeat(strings.ReplaceAll(event, "\n", "\r\n"), 100), true, true},
		"large event":      {"data: " + strings.Repeat("x", 40) + "\n\n", true, false},
		"many lines":       {strings.Repeat("data: x\n", 10), true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &boundedBody{ReadCloser: io.NopCloser(strings.NewReader(test.body)), limit: 40, stream: test.stream, end: func() {}}
			_, err := io.ReadAll(b)
			if (err == nil) != test.fits {
				t.Errorf("read ended with %v", err)
			}
		})
	}
}
