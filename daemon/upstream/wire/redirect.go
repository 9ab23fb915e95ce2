package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"

	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/oauth"
)

// maxRedirects bounds how many redirects one request follows, and how many the
// user is asked about in one attempt to connect.
const maxRedirects = 10

// RedirectError says that a server answers with a redirect to another server,
// which the user has not agreed to. Addresses are without their queries.
type RedirectError struct{ from, to string }

func (e *RedirectError) Error() string {
	return fmt.Sprintf("it redirects from %s to %s, another server", e.from, e.to)
}

// errInward refuses what would make a server on the internet speak to this
// machine or to the network that it is in.
var errInward = errors.New("a public address leads into a private network or to this machine")

// redirects decides which redirects of one server's are followed, and which
// addresses its connections may reach: those of the server itself, wherever it
// is; but never from a public address to a private one, whatever names resolve
// to by then.
type redirects struct {
	// origin is the address that the user has agreed to.
	origin *url.URL
	// agreed reports whether the user has agreed to a redirect between two
	// origins; nil is no.
	agreed func(from, to string) bool
	// lookup and private stand for the resolver and isPrivate in tests.
	lookup  func(ctx context.Context, network, host string) ([]netip.Addr, error)
	private func(netip.Addr) bool

	// mu guards what follows.
	mu sync.Mutex
	// known is set once it is known whether the origin is public.
	known, public bool
	// proxies are the addresses of proxies, which may be anywhere.
	proxies map[string]bool
}

func newRedirects(origin *url.URL, agreed func(from, to string) bool) *redirects {
	return &redirects{origin: origin, agreed: agreed, lookup: net.DefaultResolver.LookupNetIP, private: isPrivate, proxies: map[string]bool{}}
}

// isPrivate reports whether an address is this machine's, or one of a network
// that the internet does not reach.
func isPrivate(a netip.Addr) bool {
	a = a.Unmap()
	shared := netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
	return !a.IsGlobalUnicast() || a.IsPrivate() || shared.Contains(a)
}

// check is the CheckRedirect of an http.Client.
func (r *redirects) check(next *http.Request, via []*http.Request) error {
	from, to, first := via[len(via)-1].URL, next.URL, via[0]
	switch {
	case len(via) >= maxRedirects:
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	case oauth.SameOrigin(from, to), upgrades(from, to):
		return nil
	}
	if r.isPublic(next.Context()) && r.anyPrivate(next.Context(), to) {
		return &fault.Permanent{
			Err:  fmt.Errorf("it redirects from %s to %s, which is not followed: %w", address(from), address(to), errInward),
			Next: "If the other address is meant, write it into the entry as its \"url\".",
		}
	}
	// What describes an authorization server holds no secret, and may lie anywhere.
	if first.Method == http.MethodGet && !(oauth.SameOrigin(first.URL, r.origin) && first.URL.Path == r.origin.Path) {
		return nil
	}
	if r.agreed != nil && r.agreed(originOf(from), originOf(to)) {
		return nil
	}
	return &RedirectError{from: address(from), to: address(to)}
}

// upgrades reports whether a redirect leads from http to https of one host.
func upgrades(from, to *url.URL) bool {
	return from.Scheme == "http" && to.Scheme == "https" && strings.EqualFold(from.Hostname(), to.Hostname())
}

// address is where a URL leads, without what may be secret in it.
func address(u *url.URL) string { return originOf(u) + u.EscapedPath() }

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// isPublic reports whether the agreed address is a public one: as it was first
// connected to, or else as its name resolves. A name that does not resolve is a
// proxy's to know, and taken for public.
func (r *redirects) isPublic(ctx context.Context) bool {
	r.mu.Lock()
	known, public := r.known, r.public
	r.mu.Unlock()
	if known {
		return public
	}
	return !r.anyPrivate(ctx, r.origin)
}

// anyPrivate reports whether a host is a private address, or resolves to one.
func (r *redirects) anyPrivate(ctx context.Context, u *url.URL) bool {
	addresses, err := r.lookup(ctx, "ip", u.Hostname())
	if err != nil {
		return false
	}
	for _, a := range addresses {
		if r.private(a) {
			return true
		}
	}
	return false
}

// proxied notes an address that requests go to as that of a proxy.
func (r *redirects) proxied(proxy *url.URL) {
	if proxy != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.proxies[hostPort(proxy)] = true
	}
}

// hostPort returns where a connection for a URL is made to.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// dial makes connections by d, and checks each address when its name has been
// resolved: a name may lead elsewhere than it did when it was asked about.
func (r *redirects) dial(d net.Dialer) func(ctx context.Context, network, to string) (net.Conn, error) {
	return func(ctx context.Context, network, to string) (net.Conn, error) {
		r.mu.Lock()
		proxy := r.proxies[to]
		r.mu.Unlock()
		if proxy {
			return d.DialContext(ctx, network, to)
		}
		origin := strings.EqualFold(to, hostPort(r.origin))
		checked := d
		checked.ControlContext = func(ctx context.Context, _, reached string, _ syscall.RawConn) error {
			return r.reach(ctx, reached, origin)
		}
		return checked.DialContext(ctx, network, to)
	}
}

// reach permits a connection to an address. The first one to the origin says
// what the origin is.
func (r *redirects) reach(ctx context.Context, reached string, origin bool) error {
	to, err := netip.ParseAddrPort(reached)
	if err != nil {
		return nil // no address of a network
	}
	private := r.private(to.Addr())
	if origin {
		r.mu.Lock()
		if !r.known {
			r.known, r.public = true, !private
		}
		r.mu.Unlock()
	}
	if private && r.isPublic(ctx) {
		return fmt.Errorf("%s: %w", reached, errInward)
	}
	return nil
}

// agreements are the redirects that the user has agreed to.
type agreements struct {
	mu sync.Mutex
	to map[[3]string]bool // by server and origins; guarded by mu
}

// of returns what was agreed for one server.
func (a *agreements) of(server string) func(from, to string) bool {
	return func(from, to string) bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.to[[3]string{server, from, to}]
	}
}

// ask asks the user whether a redirect is to be followed, and keeps a yes. A no
// is an error that a retry does not cure.
func (a *agreements) ask(ctx context.Context, hooks Hooks, server string, e *RedirectError) error {
	refused := errors.New("nobody can be asked here whether that is right")
	if hooks.Redirect != nil {
		refused = hooks.Redirect(ctx, server, e.from, e.to)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused != nil {
		return &fault.Permanent{
			Err:  fmt.Errorf("%w, which is not followed: %w", e, refused),
			Next: "If the other address is right, write it into the entry as its \"url\", or restart the server to be asked.",
		}
	}
	from, err1 := url.Parse(e.from)
	to, err2 := url.Parse(e.to)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.to == nil {
		a.to = map[[3]string]bool{}
	}
	a.to[[3]string{server, originOf(from), originOf(to)}] = true
	return nil
}
