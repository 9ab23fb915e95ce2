package mcpserver

import (
	"context"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Options configure a [Server].
type Options struct {
	Backend Backend
	// Name and Version are what clients are told.
	Name, Version string
	// Log may be nil.
	Log *slog.Logger
}

// Server is the gateway. It serves clients over streams ([Server.ServePipe]),
// and over HTTP from [Server.Listen] on.
type Server struct {
	backend  Backend
	log      *slog.Logger
	sessions *sessions
	rounds   rounds
	// listeners are the subscriptions of clients over streams.
	listeners listeners
	// face answers requests.
	face *server.MCPServer
	// web is the HTTP side; nil before Listen.
	web *web
}

// New returns a gateway that nobody reaches yet.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{backend: o.Backend, log: o.Log, sessions: newSessions()}
	s.face = s.newFace(o.Name, o.Version)
	return s
}

// CatalogChanged tells the clients whose lists have changed, once each.
func (s *Server) CatalogChanged(ctx context.Context) {
	for _, open := range s.sessions.all() {
		if open.session.Changed(ctx) {
			open.client.Notify(mcp.MethodNotificationToolsListChanged, nil)
		}
	}
}

// Close ends all sessions, and the HTTP side. Those who called ServePipe end it
// by its context.
func (s *Server) Close() error {
	s.rounds.close()
	s.sessions.close()
	if s.web == nil {
		return nil
	}
	return s.web.close()
}
