package wire

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

// guarded returns a client whose origin is a server that redirects, and where
// every address is taken for private that is reached after inside is set.
func guarded(t *testing.T, target func(loopback string) string) (get func() error, r *redirects, reached *atomic.Int32, inside *atomic.Bool) {
	t.Helper()
	reached, inside = &atomic.Int32{}, &atomic.Bool{}
	to := serveHTTP(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	from := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside.Store(true)
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, target(to), http.StatusTemporaryRedirect)
	}))
	l, err := newLink(Config{URL: from}.WithDefaults(), Network{NoProxy: "*"}, func(string, string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	l.redirects.private = func(netip.Addr) bool { return inside.Load() }
	return func() error {
		response, err := l.client().Post(from, "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}, l.redirects, reached, inside
}

// TestRedirect_inward: a public address does not lead into a private network,
// also where the user would agree, and also by a name that is found to be public
// when it is asked about and leads there when it is connected to.
func TestRedirect_inward(t *testing.T) {
	t.Parallel()
	get, _, reached, _ := guarded(t, func(to string) string { return to })
	if err := get(); !errors.Is(err, errInward) || !errors.As(err, new(*fault.Permanent)) || reached.Load() > 0 {
		t.Errorf("%v, reached %d times", err, reached.Load())
	}
	get, r, reached, _ := guarded(t, func(to string) string { return strings.Replace(to, "127.0.0.1", "localhost", 1) })
	r.lookup = func(context.Context, string, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
	if err := get(); !errors.Is(err, errInward) || errors.As(err, new(*fault.Permanent)) || reached.Load() > 0 {
		t.Errorf("a name that changed: %v, reached %d times", err, reached.Load())
	}
}

// TestRedirect_check: which redirects are followed without a question.
func TestRedirect_check(t *testing.T) {
	t.Parallel()
	public := map[string]bool{"example.com": true, "www.example.com": true, "other.example": true}
	for _, tt := range []struct {
		method, from, to string
		want             string // in the error; "" follows
	}{
		{"POST", "http://example.com/mcp", "https://example.com/mcp", ""},
		{"POST", "http://example.com/mcp", "http://example.com/v2", ""},
		{"POST", "https://example.com/mcp", "http://example.com/mcp", "another server"},
		{"POST", "https://example.com/mcp", "https://www.example.com/mcp", "another server"},
		{"GET", "https://example.com/mcp", "https://other.example/mcp", "another server"},
		{"GET", "https://example.com/.well-known/x", "https://other.example/x", ""},
		{"GET", "https://example.com/.well-known/x", "https://10.0.0.1/x", "private network"},
		{"POST", "https://example.com/mcp?key=abc", "http://127.0.0.1:8000/mcp", "private network"},
		{"POST", "https://example.com/mcp", "http://169.254.169.254/latest", "private network"},
		{"POST", "https://example.com/mcp", "http://[::ffff:10.1.2.3]/", "private network"},
		{"POST", "http://127.0.0.1:1/mcp", "http://127.0.0.1:2/mcp", "another server"},
		{"POST", "http://10.0.0.1/mcp", "https://other.example/mcp", "another server"},
	} {
		from, to := httptest.NewRequest(tt.method, tt.from, nil), httptest.NewRequest(tt.method, tt.to, nil)
		origin, err := url.Parse(tt.from)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(origin.Path, "well-known") {
			origin.Path = "/mcp"
		}
		r := newRedirects(origin, nil)
		r.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
			if public[host] {
				return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
			}
			a, err := netip.ParseAddr(host)
			return []netip.Addr{a}, err
		}
		err = r.check(to, []*http.Request{from})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) || err != nil && strings.Contains(err.Error(), "abc") {
			t.Errorf("%s %s to %s: %v, want %q", tt.method, tt.from, tt.to, err, tt.want)
		}
	}
}
