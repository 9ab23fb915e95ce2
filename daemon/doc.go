// Package daemon is winnowd: it wires the engine and its faces into one
// session, [Server.Run] with a host over JSON-RPC (faces/editor) and
// [Server.RunAlone] without one, serving a single MCP client by its two
// streams. Its tests drive the whole.
//
// It decides nothing: what the application does is package engine, what a face
// says is that face's.
package daemon
