// Package gateway is the face for MCP clients: Winnow as one MCP server that
// stands for all of a user's servers. A [Face] serves the clients of an engine,
// over streams, over HTTP at an address of its own, and through private sockets
// that `winnowd mcp` joins; [ServeAlone] serves a single client without a host.
//
// Each client is a session with a task of its own: which tools it is shown and
// what its calls mean is the engine's business. What an MCP client needs besides
// is here: the order of its list, resources and prompts under names of ours,
// logs, questions of servers passed on. What the face needs of the engine is the
// interface [Engine].
//
//	clients ─► mcpserver (MCP by mcp-go) ─► session ─► engine
//	winnowd mcp ─► relay ─► socket ─────┘
//
// The protocol itself is package mcpserver's.
package gateway
