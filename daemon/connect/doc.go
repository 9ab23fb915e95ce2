// Package connect writes Winnow into the configuration of other MCP clients,
// and takes it out again: the entry by which a client starts `winnowd mcp`.
// [Clients] is the one list of the clients and their files. A file keeps
// everything else that stands in it, comments too; what it held before is kept
// for the user alone to read, so that [Connector.Undo] can give it back.
//
// It starts no server and reads none of the entries beside its own.
package connect
