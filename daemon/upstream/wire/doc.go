// Package wire is the client's side of MCP: a [Dialer] connects to a server over
// stdio, streamable HTTP or SSE, agrees with it on a revision of the protocol, and
// lists its tools; a [Connection] makes calls on it and takes what it announces
// and asks. Messages are made I-JSON where they come in, bounded in size, and
// cleaned (daemon/upstream/clean) before they are handed on.
//
// A connection is made once and is over when it is lost. Whether and when there is
// another is decided in daemon/upstream, which runs the servers.
//
// # Protocol eras
//
// MCP has two: the initialize handshake (2024-11-05 to 2025-11-25) and the
// stateless core of 2026-07-28. Servers exist that never answer, or exit on, a
// message of the other era, so this package does not probe: it asks for the
// handshake first, which no legacy server pays for, and turns to the newer
// core when a server refuses the handshake; see era.go. Messages go through
// mcp-go's transports; why not through its client is explained in session.go.
//
// # Redirects
//
// A redirect to another server is followed after the user has agreed, and never
// from a public address to a private one; see redirect.go.
package wire
