// Package wire implements the client side of MCP. A [Dialer] connects to a server over
// stdio, streamable HTTP or SSE, negotiates a protocol revision, and lists the tools. A
// [Connection] makes calls and receives the server's notifications and requests. Incoming
// messages are normalized to I-JSON, bounded in size, and cleaned
// (daemon/upstream/clean).
//
// A connection is never reused after it is lost. Package daemon/upstream decides whether
// and when to dial again.
//
// # Protocol eras
//
// MCP has two: the initialize handshake (2024-11-05 to 2025-11-25) and the stateless core
// of 2026-07-28. Some servers do not answer, or exit on, a message of the other era, so
// this package does not probe. It tries the handshake first, which costs legacy servers
// nothing, and the newer core if a server refuses it; see era.go. Messages go through
// mcp-go's transports; session.go explains why not through its client.
//
// # Redirects
//
// A redirect to another server is followed only if the user has agreed, and never from a
// public address to a private one; see redirect.go.
package wire
