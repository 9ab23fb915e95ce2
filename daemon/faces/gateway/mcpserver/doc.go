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
// mcp-go keeps tools in maps and lists them by name; a session's list is
// append-only and in its own order. So only one tool is registered: calls are
// led to it, and the list is the session's (face.go); the same with resources
// and prompts (offers.go).
//
// In the middle of a call the session may put questions to the client ([Ask]):
// a pipe's own (pipeclient.go), or by the library's two ways over HTTP
// (line.go).
package mcpserver
