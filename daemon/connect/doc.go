// Package connect adds Winnow to the configuration of other MCP clients, and removes it:
// the entry by which a client starts `winnowd mcp`. [Clients] is the only list of clients
// and their files. The rest of a file is kept, including comments. [Connector.Undo]
// removes the entry, then an empty table of servers, and a file that was created for the
// entry.
//
// It starts no server and reads no entries besides its own.
package connect
