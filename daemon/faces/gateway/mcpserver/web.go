package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/debuglog"
	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Timeouts of the HTTP server. A slower client is disconnected, because it holds a
// connection and its resources.
const (
	// headerTime bounds the header of a request, bodyTime its body, and writeTime each
	// write of a response or stream.
	headerTime = 10 * time.Second
	bodyTime   = 30 * time.Second
	writeTime  = 30 * time.Second
	// waitTime is how long an idle connection is kept.
	waitTime = 2 * time.Minute
	// idleTime is how long an unused session is kept.
	idleTime = 12 * time.Hour
	// closeTime bounds how long close waits for requests under way.
	closeTime = time.Second
)

// web is the gateway on a port of 127.0.0.1.
type web struct {
	sessions  *sessions
	stateless bool
	log       *slog.Logger
	// listeners holds the clients' listening streams. It is a server of its own: if the
	// requests' server knew such a stream, it would also send progress there, after the
	// response.
	listeners *server.MCPServer
	requests  *server.StreamableHTTPServer
	streams   *server.StreamableHTTPServer
	http      *http.Server
	address   string
	token     string
	serving   sync.WaitGroup
}

// Listen starts the HTTP side on a free port of 127.0.0.1 with a new token. Call it once.
func (s *Server) Listen() error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("gateway: listen on 127.0.0.1: %w", err)
	}
	s.listenOn(listener)
	return nil
}

// listenOn starts the HTTP side on a listener.
func (s *Server) listenOn(listener net.Listener) {
	w := s.newWeb()
	w.address, w.token = listener.Addr().String(), rand.Text()+rand.Text()
	w.http = &http.Server{
		Handler:           &guard{host: w.address, admit: w.admit, next: http.HandlerFunc(w.serve)},
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       waitTime,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.web = w
	w.serving.Go(func() {
		if err := w.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("gateway ended", "error", err)
		}
	})
}

// Handler returns the HTTP side for the caller's server, instead of Listen. The caller
// authenticates requests, sets their principal with [As], and bounds their duration.
func (s *Server) Handler() http.Handler {
	w := s.newWeb()
	s.web = w
	return http.HandlerFunc(w.serve)
}

// newWeb returns an HTTP side that does not listen yet.
func (s *Server) newWeb() *web {
	w := &web{sessions: s.sessions, stateless: s.stateless, log: s.log}
	hooks := &server.Hooks{}
	hooks.AddOnRegisterSession(func(ctx context.Context, listener server.ClientSession) {
		if l := s.sessions.backchannel(who(ctx), listener.SessionID()); l != nil {
			l.listen(listener)
		}
	})
	w.listeners = server.NewMCPServer("", "", server.WithHooks(hooks))
	store := newEvents()
	w.requests, w.streams = w.transport(s.face, store), w.transport(w.listeners, store)
	return w
}

// admit returns the local user for requests with the token.
func (w *web) admit(h http.Header) (principal.Principal, bool) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return principal.Principal{}, false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	ok := strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(token), []byte(w.token)) == 1
	return principal.Local, ok
}

// transport returns one half of the HTTP side.
func (w *web) transport(face *server.MCPServer, store *events) *server.StreamableHTTPServer {
	var ids server.SessionIdManagerResolver = w.sessions
	if w.stateless {
		ids = server.NewDefaultSessionIdManagerResolver(&server.StatelessSessionIdManager{})
	}
	return server.NewStreamableHTTPServer(face,
		server.WithEndpointPath(endpoint),
		server.WithSessionIdManagerResolver(ids),
		server.WithSessionIdleTTL(idleTime),
		// Without a store, mcp-go drops a notification in transit when its request is
		// answered.
		server.WithEventStore(store),
		server.WithStreamableHTTPLogger(debuglog.New(w.log, nil)))
}

// serve routes a request: the client's requests to w.requests; its listening streams, and
// responses to requests on them, to w.streams. A DELETE ends the session and its stream.
// Revisions without sessions have requests only.
func (w *web) serve(rw http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(server.HeaderKeySessionID)
	defer w.sessions.enter(who(r.Context()), id)()
	l := w.sessions.backchannel(who(r.Context()), id)
	rw, r, done := bounded(rw, r)
	defer done()
	said, err := readBody(rw, r)
	if err != nil {
		refuseBody(rw, err)
		return
	}
	switch {
	case w.stateless && r.Method == http.MethodPost && strings.HasPrefix(said.Method, "notifications/"):
		// mcp-go identifies requests by session and id. Without sessions all users share
		// the ids, and a cancellation would end another user's request.
		rw.WriteHeader(http.StatusAccepted)
	case mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
		if r.Method == http.MethodPost && said.Method != "" && len(said.ID) == 0 {
			// A notification without a session cannot refer to a request: in this
			// revision a request is cancelled by closing its stream. mcp-go would respond
			// with an error, on which clients disconnect.
			rw.WriteHeader(http.StatusAccepted)
			return
		}
		w.requests.ServeHTTP(rw, r)
	case w.stateless && r.Method != http.MethodPost:
		// There is no session to end or to listen in.
		rw.Header().Set("Allow", http.MethodPost)
		http.Error(rw, "405 method not allowed", http.StatusMethodNotAllowed)
	case r.Method == http.MethodPost && (l == nil || !l.asksOnStream() || said.Method != "" || len(said.ID) == 0):
		w.requests.ServeHTTP(rw, r)
	case r.Method == http.MethodGet && id == "":
		// mcp-go would open a session that no client can use.
		http.Error(rw, server.HeaderKeySessionID+" is needed: begin with initialize", http.StatusBadRequest)
	case r.Method == http.MethodGet && l == nil:
		http.Error(rw, "Invalid session ID", http.StatusNotFound)
	default:
		w.streams.ServeHTTP(rw, r)
	}
}

// URL returns the address for clients. It is valid after Listen.
func (s *Server) URL() string { return "http://" + s.web.address + endpoint }

// Token returns the bearer token for clients. It is valid after Listen.
func (s *Server) Token() string { return s.web.token }

// close closes the listener and waits for the server.
func (w *web) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := errors.Join(w.requests.Shutdown(ctx), w.streams.Shutdown(ctx))
	if w.http != nil { // listening streams never end by themselves
		err = errors.Join(err, w.http.Close())
	}
	w.serving.Wait()
	if err != nil {
		return fmt.Errorf("gateway: close: %w", err)
	}
	return nil
}
