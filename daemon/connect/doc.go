// Package connect writes Winnow into the configuration of other MCP clients,
// and takes it out again: the entry by which a client starts `winnowd mcp`.
// [Clients] is the one list of the clients and their files. A file keeps
// everything else that stands in it, comments too, and [Connector.Undo] takes out
// the entry, the table of servers if it is empty then, and a file that was made
// for the entry.
//
// It starts no server and reads none of the entries beside its own.
package connect
