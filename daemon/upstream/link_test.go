package upstream

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
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
