package mcpserver

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// endpoint is the path of the MCP server.
const endpoint = "/mcp"

// maxBody bounds one request, in bytes.
const maxBody = 32 << 20

// guard admits requests of those who are known, that come from no web page.
type guard struct {
	// host is the address that clients get, such as 127.0.0.1:4711.
	host string
	// admit says on whose behalf a request with these headers comes.
	admit func(http.Header) (p principal.Principal, ok bool)
	next  http.Handler
}

// ServeHTTP implements http.Handler. What is refused is answered with no more than that,
// and has its connection ended.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	deadlines := http.NewResponseController(w)
	// The last request of the connection may have left one.
	_ = deadlines.SetWriteDeadline(time.Now().Add(writeTime))
	owner, known := g.admit(r.Header)
	switch {
	case !g.ours(r.Host):
		// A page whose name was made to point to 127.0.0.1 sends its own name.
		refuse(w, deadlines, "Host is not this server", http.StatusForbidden)
	case !g.originAllowed(r.Header):
		refuse(w, deadlines, "Origin is not allowed", http.StatusForbidden)
	case !known:
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, deadlines, "A bearer token is needed; see Winnow's command that copies the address", http.StatusUnauthorized)
	case r.URL.Path != endpoint:
		refuse(w, deadlines, "404 page not found", http.StatusNotFound)
	default:
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		g.next.ServeHTTP(w, r.WithContext(As(r.Context(), owner)))
	}
}

// refuse answers a request and ends its connection, without waiting for the rest
// of it.
func refuse(w http.ResponseWriter, deadlines *http.ResponseController, text string, status int) {
	_ = deadlines.SetReadDeadline(time.Now())
	w.Header().Set("Connection", "close")
	http.Error(w, text, status)
}

// ours reports whether a Host header names this server.
func (g *guard) ours(host string) bool {
	_, port, _ := strings.Cut(g.host, ":")
	return host == g.host || host == "localhost:"+port
}

// originAllowed admits clients that are no browsers, which send no Origin. No
// web page has business here, not even one that this machine serves.
func (g *guard) originAllowed(h http.Header) bool {
	return len(h.Values("Origin")) == 0
}

// principalKey carries on whose behalf a request comes, classKey of which class
// they are.
type (
	principalKey struct{}
	classKey     struct{}
)

// AsOneOf is [As] where those who admit requests tell classes of users apart. What
// a class is, they know; of one principal, each class has lists of its own.
func AsOneOf(ctx context.Context, p principal.Principal, class string) context.Context {
	return context.WithValue(As(ctx, p), classKey{}, class)
}

// classOf returns the class of who makes a request; empty where [As] was told.
func classOf(ctx context.Context) string {
	class, _ := ctx.Value(classKey{}).(string)
	return class
}

// As returns ctx for the requests of a principal.
func As(ctx context.Context, p principal.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// who returns on whose behalf a request comes: nobody's where [As] was not told.
// mcp-go hands nothing but the context from a transport to a handler.
func who(ctx context.Context) principal.Principal {
	p, _ := ctx.Value(principalKey{}).(principal.Principal)
	return p
}
