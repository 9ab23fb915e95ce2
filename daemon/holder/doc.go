// Package holder lets daemons of one user share the processes of MCP servers.
//
// A holder is a process that runs children and nothing else. Whoever needs it
// first starts it, everybody joins by a private socket ([socket]), and it
// outlives all of them until it has been idle for a while. Which servers there
// are, who may call them and what is kept stays with each daemon.
//
// A connection to the holder is a visit at one child: a [hello] says what is to
// be started, and a [welcome] that it runs; what follows are the lines of MCP.
// Guests whose hellos are alike share a child. It is initialized once; ids and
// progress tokens of requests are made unique on their way in and given back on
// their way out; what the server announces goes to all. What it asks goes to
// whose call is under way, and once it has asked anything, calls of different
// guests go to it one after another, so that this is clear.
//
// What a child was started with is kept in memory only, under a digest with a key of
// the run's own.
package holder
