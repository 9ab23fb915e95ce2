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
	// anywhere are the addresses that may be anywhere: those of proxies, and of
	// what the user has named beside the origin.
	anywhere map[string]bool
}

func newRedirects(origin *url.URL, agreed func(from, to string) bool) *redirects {
	return &redirects{origin: origin, agreed: agreed, lookup: net.DefaultResolver.LookupNetIP, private: isPrivate, anywhere: map[string]bool{}}
}

// isPrivate reports whether an address is this machine's, or one of a network
// that the internet does not reach.
func isPrivate(a netip.Addr) bool {
	a = a.Unmap()
	shared := netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
	return !a.IsGlobalUnicast() || a.IsPrivate() || shared.Contains(a)
}

// check is the CheckRedirect of an http.Client. It also takes off the next request
// what net/http puts on it and its server is not to see: the address before with
// its query, and what authorizes at another origin than the first.
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

// address is where a URL leads, without its query.
func address(u *url.URL) string { return originOf(u) + u.EscapedPath() }

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// isPublic reports whether the agreed address is a public one: as it was when it
// was first connected to, or else as its name resolves. A name that does not resolve is a
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

// permit lets connections for a URL, which may be nil, lead anywhere.
func (r *redirects) permit(u *url.URL) {
	if u != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.anywhere[hostPort(u)] = true
	}
}

// hostOf returns the host of a URL, a name as net/http asks the resolver for it.
func hostOf(u *url.URL) string {
	host := u.Hostname()
	if strings.IndexFunc(host, func(c rune) bool { return c > unicode.MaxASCII }) >= 0 {
		if ascii, err := idna.Lookup.ToASCII(host); err == nil {
			return ascii
		}
	}
	return host
}

// hostPort returns where a connection for a URL is made to.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(hostOf(u), port)
}

// dial makes connections by d, and checks each address when its name has been
// resolved: a name may lead elsewhere than it did when it was asked about.
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

// reach permits a connection to an address. The first one to the origin says
// what the origin is; one whose name leads into a private network too is of it,
// whichever of its addresses is tried first.
func (r *redirects) reach(ctx context.Context, reached string, origin bool) error {
	to, err := netip.ParseAddrPort(reached)
	if err != nil {
		return nil // no address of a network
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

// agreements are the redirects that the user has agreed to, of the connection that
// a server has now. What is kept for later ones is the hook's.
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

// forget drops what was agreed for a server.
func (a *agreements) forget(server string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.to, func(key [3]string, _ bool) bool { return key[0] == server })
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
