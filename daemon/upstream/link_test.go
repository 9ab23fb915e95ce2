package upstream

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// TestHTTP_Proxy: requests go through the host's proxy, but for the hosts it
// is not for.
func TestHTTP_Proxy(t *testing.T) {
	t.Parallel()
	var hosts []string
	var mu sync.Mutex
	mcpHandler := mcpserver.NewStreamableHTTPServer(newToolServer(), mcpserver.WithDisableLocalhostProtection(true))
	proxy := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hosts = append(hosts, r.URL.Host)
		mu.Unlock()
		mcpHandler.ServeHTTP(w, r)
	}))
	m := newTestManager(t, Options{Network: Network{ProxyURL: proxy, NoProxy: "direct.invalid"}})
	apply(t, m, Config{Name: "far", URL: "http://mcp.invalid/mcp"}, Config{Name: "direct", URL: "http://direct.invalid/mcp"})
	waitState(t, m, "far", Ready)
	waitState(t, m, "direct", Failed)
	mu.Lock()
	defer mu.Unlock()
	if len(hosts) == 0 || slices.Contains(hosts, "direct.invalid") {
		t.Errorf("the proxy was asked for %q", hosts)
	}
}

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

// TestHTTP_ExtraCA: a server whose certificate the host trusts is reached, and
// without that it is not.
func TestHTTP_ExtraCA(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(mcpserver.NewStreamableHTTPServer(newToolServer()))
	t.Cleanup(s.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	tests := map[string]struct {
		network Network
		want    State
	}{
		"unknown":  {Network{}, Failed},
		"trusted":  {Network{ExtraCAs: ca}, Ready},
		"careless": {Network{InsecureSkipVerify: true}, Ready},
		"no PEM":   {Network{ExtraCAs: []byte("text")}, Failed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newTestManager(t, Options{Network: test.network})
			apply(t, m, Config{Name: "web", URL: s.URL})
			waitState(t, m, "web", test.want)
		})
	}
}

// TestLink_HeadersStayHome: the entry's headers go to the entry's origin only.
func TestLink_HeadersStayHome(t *testing.T) {
	t.Parallel()
	elsewhere := &recorder{next: http.NotFoundHandler()}
	away := serveHTTP(t, elsewhere)
	home := &recorder{next: http.RedirectHandler(away+"/x", http.StatusTemporaryRedirect)}
	base := serveHTTP(t, home)
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
	if home.find("GET", "").header.Get("X-Key") != "secret" || elsewhere.find("GET", "").header.Get("X-Key") != "" {
		t.Error("the header went to the wrong place")
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

// TestSameOrigin compares what makes an origin.
func TestSameOrigin(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://Host:8443/a")
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]bool{
		"https://host:8443/b?c": true, "http://host:8443/": false, "https://host/": false, "https://other:8443": false,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if sameOrigin(u, base) != want {
			t.Errorf("%s: %t", raw, !want)
		}
	}
}
