// Package gateway is the face for MCP clients: one MCP server in front of all of a user's
// servers. A [Face] serves the clients of an engine over streams, over HTTP at its own
// address, and over private sockets that `winnowd mcp` joins. [ServeAlone] serves a
// single client without a host.
//
// Each client has a session with its own task. The engine decides which tools it sees and
// what its calls mean. This package does the rest: the order of the tool list, resources
// and prompts under prefixed names, logs, and requests of servers to the client. [Engine]
// declares the methods of the engine that it calls.
//
//	clients ─► mcpserver (MCP by mcp-go) ─► session ─► engine
//	winnowd mcp ─► relay ─► socket ─────┘
//
// Package mcpserver implements the protocol.
package gateway
