package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Times of the HTTP server.
const (
	headerTime = 10 * time.Second
	// idleTime is how long a session of a client that says nothing is kept.
	idleTime = 12 * time.Hour
	// closeTime bounds how long Close waits for requests under way.
	closeTime = time.Second
)

// Options configure a [Server].
type Options struct {
	Backend Backend
	// Name and Version are what clients are told.
	Name, Version string
	// Log may be nil.
	Log *slog.Logger
}

// Server is the gateway on one port.
type Server struct {
	backend  Backend
	log      *slog.Logger
	sessions *sessions
	// face answers requests. ears holds the streams on which clients listen
	// between requests: where the library knows such a stream, it sends a
	// request's own progress there too, and it comes after the answer.
	face, ears *server.MCPServer
	requests   *server.StreamableHTTPServer
	streams    *server.StreamableHTTPServer
	http       *http.Server
	address    string
	token      string
	serving    sync.WaitGroup
}

// Listen starts a gateway on a free port of 127.0.0.1, with a token of its own.
func Listen(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("gateway: listen on 127.0.0.1: %w", err)
	}
	s := &Server{
		backend: o.Backend, log: o.Log, sessions: newSessions(),
		address: listener.Addr().String(), token: rand.Text() + rand.Text(),
	}
	s.face = s.newFace(o.Name, o.Version)
	s.ears = server.NewMCPServer(o.Name, o.Version)
	store := newEvents()
	s.requests, s.streams = s.transport(s.face, store), s.transport(s.ears, store)
	s.http = &http.Server{
		Handler:           &guard{host: s.address, token: s.token, next: http.HandlerFunc(s.serve)},
		ReadHeaderTimeout: headerTime,
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	s.serving.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("gateway ended", "error", err)
		}
	})
	return s, nil
}

// transport returns one half of the HTTP side.
func (s *Server) transport(face *server.MCPServer, store *events) *server.StreamableHTTPServer {
	return server.NewStreamableHTTPServer(face,
		server.WithEndpointPath(endpoint),
		server.WithSessionIdManager(s.sessions),
		server.WithSessionIdleTTL(idleTime),
		// The newest revision has no sessions, and so no list of one's own.
		server.WithStreamableHTTPProtocolVersions(mcp.LegacyProtocolVersions()...),
		// Without a store, the library drops a notification that is on its way
		// when its request is answered.
		server.WithEventStore(store),
		server.WithStreamableHTTPLogger(s.log))
}

// serve leads a request to the half that answers it. A DELETE ends a session,
// and the stream with it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.requests.ServeHTTP(w, r)
		return
	}
	s.streams.ServeHTTP(w, r)
}

// URL returns the address for clients.
func (s *Server) URL() string { return "http://" + s.address + endpoint }

// Token returns what clients have to send as a bearer token.
func (s *Server) Token() string { return s.token }

// CatalogChanged tells the clients whose lists have grown, once each.
func (s *Server) CatalogChanged(ctx context.Context) {
	for id, session := range s.sessions.all() {
		if !session.Grew(ctx) {
			continue
		}
		err := s.ears.SendNotificationToSpecificClient(id, mcp.MethodNotificationToolsListChanged, nil)
		if err != nil && !errors.Is(err, server.ErrSessionNotFound) {
			s.log.Debug("notification not sent", "method", mcp.MethodNotificationToolsListChanged, "error", err)
		}
	}
}

// Close ends all sessions and the listener, and waits for both.
func (s *Server) Close() error {
	s.sessions.close()
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := errors.Join(s.requests.Shutdown(ctx), s.streams.Shutdown(ctx))
	// Streams that clients listen on never end by themselves.
	err = errors.Join(err, s.http.Close())
	s.serving.Wait()
	if err != nil {
		return fmt.Errorf("gateway: close: %w", err)
	}
	return nil
}
