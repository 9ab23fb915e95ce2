// Package daemon is winnowd. It connects the engine and its faces into one session:
// [Server.Run] with a host over JSON-RPC (faces/editor), and [Server.RunAlone] for a
// single MCP client on two streams. Its tests cover the whole.
//
// It makes no decisions: package engine is the application, and each face defines its own
// output.
package daemon
