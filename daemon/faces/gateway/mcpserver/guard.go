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

// guard admits authenticated requests that do not come from a web page.
type guard struct {
	// host is the address that clients use, such as 127.0.0.1:4711.
	host string
	// admit returns the principal of a request with these headers.
	admit func(http.Header) (p principal.Principal, ok bool)
	next  http.Handler
}

// ServeHTTP implements http.Handler. A refused request gets only the error, and its
// connection is closed.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	deadlines := http.NewResponseController(w)
	// The last request on the connection may have left a deadline.
	_ = deadlines.SetWriteDeadline(time.Now().Add(writeTime))
	owner, known := g.admit(r.Header)
	switch {
	case !g.ours(r.Host):
		// A page whose host name resolves to 127.0.0.1 sends its own name (DNS
		// rebinding).
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

// refuse responds to a request and closes its connection without reading the rest.
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

// originAllowed admits requests without the header Origin: browsers send it. No web page
// may use the gateway, not even one served by this machine.
func (g *guard) originAllowed(h http.Header) bool {
	return len(h.Values("Origin")) == 0
}

// principalKey is the context key of the principal of a request, classKey that of the
// principal's class.
type (
	principalKey struct{}
	classKey     struct{}
)

// AsOneOf is [As] with a class of users, which the caller defines. Each class of a
// principal has its own lists.
func AsOneOf(ctx context.Context, p principal.Principal, class string) context.Context {
	return context.WithValue(As(ctx, p), classKey{}, class)
}

// classOf returns the class of a request; empty after [As].
func classOf(ctx context.Context) string {
	class, _ := ctx.Value(classKey{}).(string)
	return class
}

// As returns ctx for the requests of a principal.
func As(ctx context.Context, p principal.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// who returns the principal of a request; the zero value if [As] was not called. mcp-go
// passes only the context from a transport to a handler.
func who(ctx context.Context) principal.Principal {
	p, _ := ctx.Value(principalKey{}).(principal.Principal)
	return p
}
