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

// Times of the HTTP server. Whoever is slower is cut off: it holds a connection,
// and what was made for it.
const (
	// headerTime is how long the head of a request may take, bodyTime its body,
	// writeTime until a client has taken a part of an answer or of a stream.
	headerTime = 10 * time.Second
	bodyTime   = 30 * time.Second
	writeTime  = 30 * time.Second
	// waitTime is how long a connection is kept for another request.
	waitTime = 2 * time.Minute
	// idleTime is how long a session of a client that says nothing is kept.
	idleTime = 12 * time.Hour
	// closeTime bounds how long close waits for requests under way.
	closeTime = time.Second
)

// web is the gateway on a port of 127.0.0.1.
type web struct {
	sessions  *sessions
	stateless bool
	log       *slog.Logger
	// listeners holds the streams on which clients listen between requests: where
	// the library knows such a stream, it sends a request's own progress there
	// too, and it comes after the answer.
	listeners *server.MCPServer
	requests  *server.StreamableHTTPServer
	streams   *server.StreamableHTTPServer
	http      *http.Server
	address   string
	token     string
	serving   sync.WaitGroup
}

// Listen starts the HTTP side on a free port of 127.0.0.1, with a token of its
// own. It is called once.
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

// Handler returns the HTTP side for a server of the caller's, in the place of
// Listen. The caller admits requests, says by [As] on whose behalf they come, and
// bounds how long they take.
func (s *Server) Handler() http.Handler {
	w := s.newWeb()
	s.web = w
	return http.HandlerFunc(w.serve)
}

// newWeb returns the HTTP side that listens nowhere yet.
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

// admit lets in who knows the token: the user of the machine.
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
		// Without a store, the library drops a notification that is on its way
		// when its request is answered.
		server.WithEventStore(store),
		server.WithStreamableHTTPLogger(debuglog.New(w.log, nil)))
}

// serve leads a request to the half that answers it: what a client asks to
// the one, its streams and the answers to what it was asked on them to the
// other. A DELETE ends a session, and the stream with it. The revisions without
// sessions have requests only.
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
		// The library knows requests by their session and id. Without sessions all
		// users share the ids: a cancellation would end another user's request.
		rw.WriteHeader(http.StatusAccepted)
	case mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
		if r.Method == http.MethodPost && said.Method != "" && len(said.ID) == 0 {
			// A notification without a session names no request that it could apply
			// to: in this version of MCP a request is cancelled by closing its stream.
			// The library would answer with an error, on which clients disconnect.
			rw.WriteHeader(http.StatusAccepted)
			return
		}
		w.requests.ServeHTTP(rw, r)
	case w.stateless && r.Method != http.MethodPost:
		// There is no session to end, or to listen in.
		rw.Header().Set("Allow", http.MethodPost)
		http.Error(rw, "405 method not allowed", http.StatusMethodNotAllowed)
	case r.Method == http.MethodPost && (l == nil || !l.asksOnStream() || said.Method != "" || len(said.ID) == 0):
		w.requests.ServeHTTP(rw, r)
	case r.Method == http.MethodGet && id == "":
		// The library would open a session for it, which nobody can use.
		http.Error(rw, server.HeaderKeySessionID+" is needed: begin with initialize", http.StatusBadRequest)
	case r.Method == http.MethodGet && l == nil:
		http.Error(rw, "Invalid session ID", http.StatusNotFound)
	default:
		w.streams.ServeHTTP(rw, r)
	}
}

// URL returns the address for clients, after Listen.
func (s *Server) URL() string { return "http://" + s.web.address + endpoint }

// Token returns what clients have to send as a bearer token, after Listen.
func (s *Server) Token() string { return s.web.token }

// close ends the listener and waits for what it serves.
func (w *web) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := errors.Join(w.requests.Shutdown(ctx), w.streams.Shutdown(ctx))
	if w.http != nil { // streams that clients listen on never end by themselves
		err = errors.Join(err, w.http.Close())
	}
	w.serving.Wait()
	if err != nil {
		return fmt.Errorf("gateway: close: %w", err)
	}
	return nil
}
