// Package mcpserver implements the gateway's protocol: one MCP server in front of all of
// a user's servers, for any MCP client on the machine.
//
// A [Server] serves clients over two streams ([Server.ServePipe]), and after
// [Server.Listen] over a free port of 127.0.0.1, where clients need its token (guard.go).
// It speaks MCP through mcp-go and decides nothing about tools. A [Backend] opens a
// [Session] for each client, which lists tools, resources and prompts and runs calls.
// Sessions share nothing.
//
//	clients --streams---------> pipe --┐
//	clients --HTTP--> guard --> web ---┴--> mcp-go --> Server --> Session (package gateway)
//
// Only one tool, one resource and one prompt are registered with mcp-go. All requests are
// routed to them, and lists are replaced afterwards (face.go, offers.go). Registering the
// real ones does not work: mcp-go rejects calls of unregistered names, sorts lists by
// name, and registers per session only for its own HTTP sessions. Names that a model
// misspells, or takes from an older list, mcp_search or a resource template, must reach
// the session, and a list must grow at its end.
//
// Clients of revisions with a handshake have a session each. From 2026-07-28 on requests
// are independent: those of a principal share one session (server.go) with the same list
// for all, and subscribe by a request (listen.go).
//
// During a call the session may send requests to the client ([Ask]): over streams as its
// own requests (pipeclient.go), over HTTP in mcp-go's two ways (backchannel.go), and
// without a session in the response to the call, which is then repeated (rounds.go).
package mcpserver
