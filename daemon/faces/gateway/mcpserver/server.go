package mcpserver

import (
	"context"
	"encoding/json"
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
	// Stateless: requests may reach any of several servers and must not depend on earlier
	// ones. No client has its own session or receives requests.
	Stateless bool
	// Name and Version are sent to clients.
	Name, Version string
	// Received, if not nil, is called for each tools/list and tools/call. It returns the
	// request's context and a function that is called with the outcome, which is "" for
	// success and otherwise one word.
	Received func(ctx context.Context, r Received) (context.Context, func(failed string))
	// Log may be nil: nothing is logged.
	Log *slog.Logger
}

// Received describes a request of a client.
type Received struct {
	Method string
	// Tool is the name in a call, as the client sent it.
	Tool      string
	Principal principal.Principal
	// Meta is the `_meta` of the request; may be nil.
	Meta json.RawMessage
}

// Server is the gateway. It serves clients over streams ([Server.ServePipe]), and over
// HTTP after [Server.Listen].
type Server struct {
	backend   Backend
	stateless bool
	received  func(ctx context.Context, r Received) (context.Context, func(failed string))
	log       *slog.Logger
	sessions  *sessions
	rounds    rounds
	// listeners holds the subscriptions of clients without a session.
	listeners listeners
	// face handles requests.
	face *server.MCPServer
	// web is the HTTP side; nil before Listen or Handler.
	web *web
}

// New returns a gateway that does not listen yet.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Received == nil {
		o.Received = func(ctx context.Context, _ Received) (context.Context, func(string)) { return ctx, func(string) {} }
	}
	s := &Server{backend: o.Backend, stateless: o.Stateless, received: o.Received, log: o.Log, sessions: newSessions()}
	s.face = s.newFace(o.Name, o.Version)
	return s
}

// CatalogChanged notifies each client whose list has changed.
func (s *Server) CatalogChanged(ctx context.Context) {
	for _, open := range s.sessions.all() {
		if open.session.Changed(ctx) {
			open.client.Notify(mcp.MethodNotificationToolsListChanged, nil)
		}
	}
}

// Close ends all sessions and the HTTP side. Callers of ServePipe end it through its
// context.
func (s *Server) Close() error {
	s.rounds.close()
	s.sessions.close()
	if s.web == nil {
		return nil
	}
	return s.web.close()
}

// ServePipe serves one client of [principal.Local] over two streams until the client
// closes its side, ctx ends or a write fails. It does not close them; a blocked read ends
// with in.
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
	answered := make(chan struct{}) // closed when nothing more is queued
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

// MCP 2026-07-28 has no handshake and no sessions: each request describes its client,
// server/discover describes the server, and lists depend only on the authorization. All
// such clients of one principal share a [Session].

// shared returns the shared session for the principal and class of a request; nil once
// the server closes.
func (s *Server) shared(ctx context.Context) Session {
	owner, class := who(ctx), classOf(ctx)
	return s.sessions.sharedBy(sharer{owner, class}, func() (Client, Session) {
		client := Client{Principal: owner, Class: class, Shared: true, Notify: func(method string, params map[string]any) {
			s.listeners.notify(owner, method, params)
		}}
		return client, s.backend.Open(client)
	})
}

// discovered adds the instructions to a response of server/discover.
func (s *Server) discovered(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
	if session := s.sessionOf(ctx); session != nil {
		result.Instructions = session.Instructions()
		hintFresh(ctx, session, result)
	}
}

// hintFresh sets how long a client may cache a list (`ttlMs`), and that the cache is
// private, because the servers are one user's.
func hintFresh(ctx context.Context, session Session, result mcp.CacheHintSetter) {
	if server.IsModernRequest(ctx) {
		result.SetCacheHints(session.Fresh().Milliseconds(), mcp.CacheScopePrivate)
	}
}

// caller returns the client of a request that describes it.
func caller(ctx context.Context) Person {
	info := server.RequestProtocolInfoFromContext(ctx)
	return person(info.ClientInfo, info.ClientCapabilities)
}
