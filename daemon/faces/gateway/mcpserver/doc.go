// Package mcpserver is Winnow as an MCP server: one server that stands for all
// of a user's servers, for any MCP client on the machine.
//
// A [Server] serves clients over two streams ([Server.ServePipe]), and from
// [Server.Listen] on over a free port of 127.0.0.1, where it admits who knows
// its token (guard.go). It speaks MCP by mcp-go and decides nothing about
// tools: a [Backend] opens a [Session] for each client, and that says which
// tools, resources and prompts there are and answers calls. Sessions share
// nothing.
//
//	clients --streams---------> pipe --┐
//	clients --HTTP--> guard --> web ---┴--> mcp-go --> Server --> Session (package gateway)
//
// Nothing is registered with mcp-go but one tool, one resource and one prompt,
// to which all requests are led, and lists are written after it (face.go,
// offers.go). It would be the library's grain to register what is served, but
// it refuses a call of what is not registered and sorts lists by name, and a
// registration by session is open to its own HTTP sessions only. A name that a
// model has mangled, that it knows from an older list or from mcp_search, that
// a template of resources makes, has to reach the session; and a list that
// grows has to grow at its end.
//
// Clients of the revisions with a handshake have a session each. From
// 2026-07-28 on requests stand for themselves: those of a principal share one
// session (shared.go) that lists the same to all, and subscribe by a request
// (listen.go).
//
// In the middle of a call the session may put questions to the client ([Ask]):
// by a request of its own over streams (pipeclient.go), by the library's two
// ways over HTTP (backchannel.go), and without a session by the answer to the
// call, which is then made again (rounds.go).
package mcpserver
