// Package holder lets the daemons of one user share processes of MCP servers.
//
// A holder is a process that only runs children. The first daemon that needs it starts
// it, others join over a private socket ([socket]), and it outlives them until it has
// been idle for a while. Configuration, permissions and storage stay with each daemon.
//
// A connection to the holder is a visit to one child. A [hello] says what to start, a
// [welcome] that it runs; then follow the lines of MCP. Guests with equal hellos share a
// child. It is initialized once. Ids and progress tokens of requests are made unique for
// the child and restored for the guest. Notifications of the server go to all guests. Its
// requests go to the guest whose call is under way. Once it has made a request, calls of
// different guests run one after another, so that this is unambiguous.
//
// The parameters of a child are kept in memory only, under a digest keyed per run.
package holder
