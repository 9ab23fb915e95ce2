package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Options configure a [Server].
type Options struct {
	Backend Backend
	// Stateless: any number of servers stand for this one, so that no request may
	// rest on another. No client has a session of its own, or is asked anything.
	Stateless bool
	// Name and Version are sent to clients.
	Name, Version string
	// Log may be nil.
	Log *slog.Logger
}

// Server is the gateway. It serves clients over streams ([Server.ServePipe]),
// and over HTTP from [Server.Listen] on.
type Server struct {
	backend   Backend
	stateless bool
	log       *slog.Logger
	sessions  *sessions
	rounds    rounds
	// listeners are the subscriptions of clients without a session.
	listeners listeners
	// face answers requests.
	face *server.MCPServer
	// web is the HTTP side; nil before Listen.
	web *web
}

// New returns a gateway that listens nowhere yet.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{backend: o.Backend, stateless: o.Stateless, log: o.Log, sessions: newSessions()}
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

// ServePipe serves one client of [principal.Local] over two streams until the client closes its
// side, ctx ends or out fails. It does not close them; a read that is under way
// then ends with in.
func (s *Server) ServePipe(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	p := &pipe{
		server: s,
		id:     s.sessions.generate(principal.Local), out: make(chan []byte, queued), notes: make(chan mcp.JSONRPCNotification, queued),
		gone: life.Done(), silent: make(chan struct{}), waiting: map[string]chan pipeMessage{},
	}
	defer s.sessions.terminate(p.id)
	var writing, requests sync.WaitGroup
	answered := make(chan struct{}) // closed when nothing is queued any more
	writing.Go(func() {
		if err := p.write(out, answered); err != nil {
			end(fmt.Errorf("gateway: write to the client: %w", err))
		}
	})
	work := withConnection(s.face.WithContext(As(life, principal.Local), p))
	err := p.read(life, in, func(line []byte) { p.received(work, line, &requests) })
	close(p.silent)
	drain(life, &requests)
	end(err)
	requests.Wait()
	close(answered)
	writing.Wait()
	if cause := context.Cause(life); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// From MCP 2026-07-28 on there is no handshake and no session: each request says
// who its client is and what it can do, server/discover tells what the server
// is, and lists depend on nothing but the authorisation. All such clients
// of one principal share a [Session].

// shared returns the session of the clients of who makes a request that have none
// of their own; nil once the server closes.
func (s *Server) shared(ctx context.Context) Session {
	owner, class := who(ctx), classOf(ctx)
	return s.sessions.sharedBy(sharer{owner, class}, func() (Client, Session) {
		client := Client{Principal: owner, Class: class, Shared: true, Notify: func(method string, params map[string]any) {
			s.listeners.notify(owner, method, params)
		}}
		return client, s.backend.Open(client)
	})
}

// discovered tells a client what it would otherwise hear at the handshake.
func (s *Server) discovered(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
	if session := s.sessionOf(ctx); session != nil {
		result.Instructions = session.Instructions()
		hintFresh(ctx, session, result)
	}
}

// hintFresh tells a client how long it may keep a list (`ttlMs`), and that
// nobody else may have it: the servers are this user's.
func hintFresh(ctx context.Context, session Session, result mcp.CacheHintSetter) {
	if server.IsModernRequest(ctx) {
		result.SetCacheHints(session.Fresh().Milliseconds(), mcp.CacheScopePrivate)
	}
}

// caller returns who made a request that carries its client's description.
func caller(ctx context.Context) Person {
	info := server.RequestProtocolInfoFromContext(ctx)
	return person(info.ClientInfo, info.ClientCapabilities)
}
