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
	"github.com/winnow-mcp/winnow/protocol"
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
	if err := get(); !errors.Is(err, errInward) || !fault.Permanent(err) || reached.Load() > 0 {
		t.Errorf("%v, reached %d times", err, reached.Load())
	}
	get, r, reached, _ := guarded(t, func(to string) string { return strings.Replace(to, "127.0.0.1", "localhost", 1) })
	r.lookup = func(context.Context, string, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
	if err := get(); !errors.Is(err, errInward) || fault.Permanent(err) || reached.Load() > 0 {
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

// addresses is a resolver that knows some names, and what is an address itself.
func addresses(known map[string][]string) func(context.Context, string, string) ([]netip.Addr, error) {
	return func(_ context.Context, _, host string) ([]netip.Addr, error) {
		var found []netip.Addr
		for _, a := range append(known[host], host) {
			if parsed, err := netip.ParseAddr(a); err == nil {
				found = append(found, parsed)
			}
		}
		return found, nil
	}
}

// TestRedirect_dualStack: a name that has a private address beside a public one is
// a private server's, whichever is tried first; one that gets it later is not.
func TestRedirect_dualStack(t *testing.T) {
	t.Parallel()
	known := map[string][]string{"dual.example": {"93.184.216.34", "10.0.0.1"}, "later.example": {"93.184.216.34"}}
	for host, permitted := range map[string]bool{"dual.example": true, "later.example": false} {
		r := newRedirects(&url.URL{Scheme: "https", Host: host, Path: "/mcp"}, nil)
		r.lookup = addresses(known)
		if err := r.reach(t.Context(), "93.184.216.34:443", true); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		known[host] = []string{"10.0.0.1"}
		if err := r.reach(t.Context(), "10.0.0.1:443", true); (err == nil) != permitted {
			t.Errorf("%s: its private address: %v", host, err)
		}
	}
}

// TestRedirect_inwardAgain: what a private server redirects to on the internet
// does not lead back into a private network, also where the user would agree.
func TestRedirect_inwardAgain(t *testing.T) {
	t.Parallel()
	home := httptest.NewRequest(http.MethodPost, "http://10.0.0.1/mcp", nil)
	away := httptest.NewRequest(http.MethodPost, "https://example.com/mcp", nil)
	back := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", nil)
	r := newRedirects(home.URL, func(string, string) bool { return true })
	r.lookup = addresses(map[string][]string{"example.com": {"93.184.216.34"}})
	if err := r.check(away, []*http.Request{home}); err != nil {
		t.Error(err)
	}
	if err := r.check(back, []*http.Request{home, away}); !errors.Is(err, errInward) {
		t.Errorf("got %v, want %v", err, errInward)
	}
}

// TestRedirect_credentials: a redirect that is followed takes neither the address
// before with its query to the next server, nor what authorizes to another origin.
func TestRedirect_credentials(t *testing.T) {
	t.Parallel()
	heads := make(chan http.Header, 1)
	get := func(target string) http.Header {
		t.Helper()
		var from string
		behind := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { heads <- r.Header })
		away := serveHTTP(t, behind)
		from = serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/behind" {
				behind(w, r)
				return
			}
			http.Redirect(w, r, map[string]string{"away": away, "here": "/behind"}[target], http.StatusTemporaryRedirect)
		}))
		l, err := newLink(Config{URL: from}.WithDefaults(), Network{NoProxy: "*"}, func(string, string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		defer l.close()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, from+"?key=secret", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		response, err := l.client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return <-heads
	}
	for target, token := range map[string]string{"away": "", "here": "Bearer secret"} {
		if head := get(target); head.Get("Authorization") != token || head.Get("Referer") != "" {
			t.Errorf("%s: %q, %q", target, head.Get("Authorization"), head.Get("Referer"))
		}
	}
	for to, token := range map[string]string{"https://example.com/mcp": "t", "http://example.com/v2": "t", "http://sub.example.com/": "", "http://example.com:81/": ""} {
		first, next := httptest.NewRequest(http.MethodPost, "http://example.com/mcp", nil), httptest.NewRequest(http.MethodPost, to, nil)
		next.Header.Set("Authorization", "t")
		r := newRedirects(first.URL, nil)
		r.lookup = addresses(nil)
		if _ = r.check(next, []*http.Request{first}); next.Header.Get("Authorization") != token {
			t.Errorf("%s gets %q", to, next.Header.Get("Authorization"))
		}
	}
}

// TestRedirect_losesRequest: a redirect that would make a message a request for a
// page is an error, with what to do, also within one server.
func TestRedirect_losesRequest(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther} {
		from := serveHTTP(t, http.RedirectHandler("/mcp/", status))
		l, err := newLink(Config{URL: from}.WithDefaults(), Network{NoProxy: "*"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.close)
		response, err := l.client().Post(from+"?key=abc", "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = response.Body.Close()
		}
		var permanent *fault.Failure
		if !errors.As(err, &permanent) || !permanent.Permanent || !strings.Contains(permanent.Error(), from+"/mcp/ in a way that loses the request") || !strings.Contains(permanent.Next, `"url"`) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestRedirect_namedByUser: the authorization server that an entry names may be in
// a private network where the server is public; no other.
func TestRedirect_namedByUser(t *testing.T) {
	t.Parallel()
	named, other := serveHTTP(t, http.NotFoundHandler()), serveHTTP(t, http.NotFoundHandler())
	l, err := newLink(Config{URL: "https://example.com/mcp", OAuth: protocol.OAuthEntry{AuthServerMetadataURL: named + "/meta"}}.WithDefaults(), Network{NoProxy: "*"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	l.redirects.known, l.redirects.public = true, true
	for address, want := range map[string]error{named + "/token": nil, other: errInward} {
		response, err := l.client().Get(address)
		if err == nil {
			_ = response.Body.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", address, err, want)
		}
	}
}

// TestHostPort: a host is named as net/http names it to the dialer.
func TestHostPort(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://bücher.example/mcp": "xn--bcher-kva.example:443", "http://Local_Host/": "Local_Host:80", "http://[::1]:81/": "[::1]:81",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := hostPort(u); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
