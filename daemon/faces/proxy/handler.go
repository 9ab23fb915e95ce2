package proxy

import (
	"cmp"
	"context"
	"hash/maphash"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// Options configure a [Handler].
type Options struct {
	Router Router
	// Endpoints returns the configured endpoints. It is called for each request, so that
	// changes apply to the next one.
	Endpoints func() map[string]Endpoint
	// Log logs events without content. If nil, nothing is logged.
	Log *slog.Logger
	// Transport makes the requests to providers. If nil, one is used that verifies
	// certificates and respects the environment's proxies.
	Transport http.RoundTripper
	// Providers are the built-in endpoints by path prefix. If nil, [Providers] is used.
	Providers map[string]Endpoint
}

// Handler forwards the requests of clients to providers. It implements http.Handler. It
// does no access control; see [Guard].
type Handler struct {
	router    Router
	endpoints func() map[string]Endpoint
	providers map[string]Endpoint
	log       *slog.Logger
	transport http.RoundTripper
	read      wire.Lists
	lists     toolLists
	ledger    *ledger
	bodies    *bodies
	counted   sync.Map // endpoints for which tellOfCounts has logged
	forward   *httputil.ReverseProxy
}

// New returns a handler.
func New(o Options) *Handler {
	h := &Handler{
		router: o.Router, endpoints: o.Endpoints, providers: o.Providers, log: o.Log, transport: o.Transport,
		lists: toolLists{router: o.Router, seed: maphash.MakeSeed()}, ledger: newLedger(), bodies: &bodies{time: bodyTime, most: maxBodies},
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.providers == nil {
		h.providers = Providers()
	}
	if h.transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // documented
		t.DisableCompression = true                          // the client gets the provider's bytes
		h.transport = t
	}
	h.forward = &httputil.ReverseProxy{
		Rewrite: rewrite, Transport: h.transport, FlushInterval: -1,
		ModifyResponse: h.modifyResponse, ErrorHandler: h.fail,
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	return h
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/winnow/stats" {
		h.ledger.ServeHTTP(w, r)
		return
	}
	e, rest, ok := h.endpoint(r.URL.Path)
	if !ok {
		http.Error(w, "winnow: no such endpoint. There are "+strings.Join(h.paths(), ", ")+
			"; name others under `endpoints` in winnow/winnow.json in your configuration folder.", http.StatusNotFound)
		return
	}
	if e.NeedsConsent {
		http.Error(w, "winnow: "+e.File+" would send your key to "+e.URL.String()+", which you have not agreed to. If you trust that address, start with -consent "+
			e.URL.String()+", or name the endpoint in winnow/winnow.json in your configuration folder.", http.StatusForbidden)
		return
	}
	if leavesBase(rest) {
		http.Error(w, "winnow: the path leads out of the endpoint: leave `..` out of it", http.StatusBadRequest)
		return
	}
	x := &exchange{handler: h, endpoint: e, path: rest, rawPath: escapedEnd(r.URL, rest)}
	if countsTokens(rest) {
		h.tellOfCounts(&e)
	}
	if format, asks := e.asks(rest); asks && r.Method == http.MethodPost && isJSON(r.Header) {
		release, err := h.bodies.read(w, r, func(body []byte) []byte {
			return h.plan(r.Context(), x, format, body, sessionOf(r.Header))
		})
		defer release()
		if err != nil {
			refuseBody(w, err)
			return
		}
	}
	h.forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
}

// plan plans a request and returns the body to send. On an error it returns the client's
// body, so that the request is still sent.
func (h *Handler) plan(ctx context.Context, x *exchange, format wire.Format, body []byte, session string) []byte {
	p, err := h.newPlan(ctx, &x.endpoint, format, body, session)
	if err != nil {
		h.log.Warn("a request passes as it is", "endpoint", x.endpoint.Name, "error", err)
		return body
	}
	if p == nil {
		return body
	}
	x.plan = p
	return p.body()
}

// countsTokens reports whether a path is a request to count tokens.
func countsTokens(path string) bool {
	return strings.HasSuffix(path, "/count_tokens") || strings.HasSuffix(path, ":countTokens") || strings.HasSuffix(path, "/input_tokens")
}

// tellOfCounts logs, once per endpoint, that such a request is forwarded with all its
// tools. Tools are chosen for the real request only.
func (h *Handler) tellOfCounts(e *Endpoint) {
	if _, told := h.counted.LoadOrStore(e.Name, true); !told {
		h.log.Info("a count of tokens counts all of a request's tools: which of them it is sent with is chosen when it comes", "endpoint", e.Name)
	}
}

// endpoint returns the endpoint for a path, and the rest of the path.
func (h *Handler) endpoint(path string) (e Endpoint, rest string, ok bool) {
	for prefix, e := range h.providers {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			return e, "/" + rest, true
		}
	}
	named, ok := strings.CutPrefix(path, "/to/")
	if !ok {
		return Endpoint{}, "", false
	}
	name, rest, _ := strings.Cut(named, "/")
	e, ok = h.endpoints()[name]
	return e, "/" + rest, ok
}

// paths returns the path prefixes of all endpoints.
func (h *Handler) paths() []string {
	all := slices.Sorted(maps.Keys(h.providers))
	for _, name := range slices.Sorted(maps.Keys(h.endpoints())) {
		all = append(all, "/to/"+name+"/")
	}
	return all
}

// isJSON reports whether a body is JSON, plain or in a known encoding.
func isJSON(header http.Header) bool {
	media, _, err := mime.ParseMediaType(cmp.Or(header.Get("Content-Type"), "application/json"))
	_, known := decoders[header.Get("Content-Encoding")]
	return err == nil && media == "application/json" && known
}

// leavesBase reports whether a path contains `..`, which could lead outside an endpoint's
// base URL.
func leavesBase(path string) bool {
	return slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// escapedEnd returns the end of a URL's path as the client escaped it, so that an escaped
// slash stays one. If no part of it matches end, it escapes end itself.
func escapedEnd(u *url.URL, end string) string {
	escaped := u.EscapedPath()
	for at := len(escaped) - 1; at >= 0; at-- {
		if escaped[at] != '/' {
			continue
		}
		if plain, err := url.PathUnescape(escaped[at:]); err == nil && plain == end {
			return escaped[at:]
		}
	}
	return (&url.URL{Path: end}).EscapedPath()
}

// sessionHeaders are headers with the id of a conversation. VS Code's X-Agent-Task-Id and
// X-Interaction-Id are not: they change with the message, the first even with the
// request.
var sessionHeaders = []string{"Session_id", "X-Session-Id", "Conversation_id"}

func sessionOf(header http.Header) string {
	for _, name := range sessionHeaders {
		if id := header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

type exchangeKey struct{}

// exchangeOf returns the exchange of a request.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// rewrite redirects a request to its provider.
func rewrite(r *httputil.ProxyRequest) {
	x := exchangeOf(r.In.Context())
	target := x.endpoint.URL
	r.Out.URL = &url.URL{
		Scheme: target.Scheme, Host: target.Host, RawQuery: r.In.URL.RawQuery,
		Path: strings.TrimSuffix(target.Path, "/") + x.path, RawPath: strings.TrimSuffix(target.EscapedPath(), "/") + x.rawPath,
	}
	r.Out.Host = target.Host
	if x.reads() {
		r.Out.Header.Set("Accept-Encoding", "identity") // the response is read here
	}
}

// fail responds to a request whose provider cannot be reached or whose response cannot be
// passed on.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	x := exchangeOf(r.Context())
	what := x.endpoint.URL.Host + " cannot be reached"
	if x.reached {
		what = "the answer of " + x.endpoint.URL.Host + " cannot be passed on"
	}
	h.log.Warn("a request has failed", "endpoint", x.endpoint.Name, "cause", what, "error", err)
	http.Error(w, "winnow: "+what+": "+err.Error(), http.StatusBadGateway)
}
