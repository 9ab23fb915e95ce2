package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/oauth"
)

// maxRedirects bounds the redirects that one request follows, and the redirects that the
// user is asked about in one attempt to connect.
const maxRedirects = 10

// RedirectError means that a server redirects to another server without the user's
// agreement. The addresses have no query.
type RedirectError struct{ from, to string }

func (e *RedirectError) Error() string {
	return fmt.Sprintf("it redirects from %s to %s, another server", e.from, e.to)
}

// errInward refuses connections by which a server on the internet would reach this
// machine or its private network.
var errInward = errors.New("a public address leads into a private network or to this machine")

// redirects decides which redirects of one server are followed and which addresses its
// connections may reach. A private server is always reachable. A public one never leads
// to a private address, whatever its names resolve to at the time.
type redirects struct {
	// origin is the address that the user has configured.
	origin *url.URL
	// agreed reports whether the user has agreed to a redirect between two origins. If
	// nil, no redirect is agreed.
	agreed func(from, to string) bool
	// lookup and private are replaced in tests.
	lookup  func(ctx context.Context, network, host string) ([]netip.Addr, error)
	private func(netip.Addr) bool

	// mu guards what follows.
	mu sync.Mutex
	// known is set once public is determined; public is whether the origin is public.
	known, public bool
	// anywhere holds the addresses that are not checked: proxies and other addresses that
	// the user has configured.
	anywhere map[string]bool
}

func newRedirects(origin *url.URL, agreed func(from, to string) bool) *redirects {
	return &redirects{origin: origin, agreed: agreed, lookup: net.DefaultResolver.LookupNetIP, private: isPrivate, anywhere: map[string]bool{}}
}

// isPrivate reports whether an address belongs to this machine or to a network that the
// internet does not reach.
func isPrivate(a netip.Addr) bool {
	a = a.Unmap()
	shared := netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
	return !a.IsGlobalUnicast() || a.IsPrivate() || shared.Contains(a)
}

// check is the CheckRedirect of an http.Client. It also removes what net/http adds to the
// next request and its server must not see: the Referer with its query, and the
// Authorization for another origin than the first.
func (r *redirects) check(next *http.Request, via []*http.Request) error {
	const instead = "If the other address is meant, write it into the entry as its \"url\"."
	ctx, last, first := next.Context(), via[len(via)-1], via[0]
	from, to := last.URL, next.URL
	next.Header.Del("Referer")
	if !oauth.SameOrigin(first.URL, to) && !upgrades(first.URL, to) {
		next.Header.Del("Authorization")
	}
	switch {
	case len(via) >= maxRedirects:
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	case last.Method != next.Method: // status 301, 302 or 303
		return &fault.Failure{
			Permanent: true,
			Err:       fmt.Errorf("it redirects from %s to %s in a way that loses the request", address(from), address(to)),
			Next:      instead,
		}
	case oauth.SameOrigin(from, to), upgrades(from, to):
		return nil
	}
	if (r.isPublic(ctx) || !r.anyPrivate(ctx, from)) && r.anyPrivate(ctx, to) {
		return &fault.Failure{
			Permanent: true,
			Err:       fmt.Errorf("it redirects from %s to %s, which is not followed: %w", address(from), address(to), errInward),
			Next:      instead,
		}
	}
	// The metadata of an authorization server holds no secret and may be anywhere.
	if first.Method == http.MethodGet && !(oauth.SameOrigin(first.URL, r.origin) && first.URL.Path == r.origin.Path) {
		return nil
	}
	if r.agreed != nil && r.agreed(originOf(from), originOf(to)) {
		return nil
	}
	return &RedirectError{from: address(from), to: address(to)}
}

// upgrades reports whether a redirect leads from http to https on the same host.
func upgrades(from, to *url.URL) bool {
	return from.Scheme == "http" && to.Scheme == "https" && strings.EqualFold(from.Hostname(), to.Hostname())
}

// address returns a URL without its query.
func address(u *url.URL) string { return originOf(u) + u.EscapedPath() }

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// isPublic reports whether the origin is public: as observed on its first connection,
// else as its name resolves. A name that does not resolve is left to a proxy and counts
// as public.
func (r *redirects) isPublic(ctx context.Context) bool {
	r.mu.Lock()
	known, public := r.known, r.public
	r.mu.Unlock()
	if known {
		return public
	}
	return !r.anyPrivate(ctx, r.origin)
}

// anyPrivate reports whether a host is, or resolves to, a private address.
func (r *redirects) anyPrivate(ctx context.Context, u *url.URL) bool {
	addresses, err := r.lookup(ctx, "ip", hostOf(u))
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

// permit exempts connections for a URL from the checks. u may be nil.
func (r *redirects) permit(u *url.URL) {
	if u != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.anywhere[hostPort(u)] = true
	}
}

// hostOf returns the host of a URL in the form that net/http resolves.
func hostOf(u *url.URL) string {
	host := u.Hostname()
	if strings.IndexFunc(host, func(c rune) bool { return c > unicode.MaxASCII }) >= 0 {
		if ascii, err := idna.Lookup.ToASCII(host); err == nil {
			return ascii
		}
	}
	return host
}

// hostPort returns the host and port that a connection for a URL dials.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(hostOf(u), port)
}

// dial returns a dial function over d that checks each address after the name was
// resolved: a name may resolve differently than when the user was asked.
func (r *redirects) dial(d net.Dialer) func(ctx context.Context, network, to string) (net.Conn, error) {
	return func(ctx context.Context, network, to string) (net.Conn, error) {
		r.mu.Lock()
		anywhere := r.anywhere[to]
		r.mu.Unlock()
		if anywhere {
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

// reach checks one address. The first connection to the origin determines whether the
// origin is public. An origin that also resolves to a private address is private,
// whichever of its addresses is tried first.
func (r *redirects) reach(ctx context.Context, reached string, origin bool) error {
	to, err := netip.ParseAddrPort(reached)
	if err != nil {
		return nil // not a network address
	}
	private := r.private(to.Addr())
	if origin {
		public := !private && !r.anyPrivate(ctx, r.origin)
		r.mu.Lock()
		if !r.known {
			r.known, r.public = true, public
		}
		r.mu.Unlock()
	}
	if private && r.isPublic(ctx) {
		return fmt.Errorf("%s: %w", reached, errInward)
	}
	return nil
}

// agreements holds the redirects that the user has agreed to for the present connection
// of a server. The hook keeps lasting decisions.
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

// forget removes the agreements for a server.
func (a *agreements) forget(server string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.to, func(key [3]string, _ bool) bool { return key[0] == server })
}

// ask asks the user whether to follow a redirect, and stores a yes. A no is a permanent
// [fault.Failure].
func (a *agreements) ask(ctx context.Context, hooks Hooks, server string, e *RedirectError) error {
	refused := errors.New("nobody can be asked here whether that is right")
	if hooks.Redirect != nil {
		refused = hooks.Redirect(ctx, server, e.from, e.to)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused != nil {
		return &fault.Failure{
			Permanent: true,
			Err:       fmt.Errorf("%w, which is not followed: %w", e, refused),
			Next:      "If the other address is right, write it into the entry as its \"url\", or restart the server to be asked.",
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
