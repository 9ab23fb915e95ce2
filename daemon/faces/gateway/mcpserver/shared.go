package mcpserver

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// From MCP 2026-07-28 on there is no handshake and no session: each request says
// who its client is and what it can do, server/discover tells what the server
// is, and lists depend on nothing but the authorisation. All such clients
// of one principal share a [Session].

// shared returns the session of an owner's clients that have none of their own;
// nil once the server closes.
func (s *Server) shared(owner principal.Principal) Session {
	return s.sessions.sharedBy(owner, func() (Client, Session) {
		client := Client{Principal: owner, Shared: true, Notify: s.broadcast}
		return client, s.backend.Open(client)
	})
}

// broadcast notifies all who listen by subscriptions/listen.
func (s *Server) broadcast(method string, params map[string]any) {
	s.face.SendNotificationToAllClients(method, params) // those over HTTP
	s.listeners.notify(method, params)
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
