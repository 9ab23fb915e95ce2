// Package turns advances tasks: it opens and resumes them, takes a turn for each user
// message, chooses again after a host has compacted, and closes them. Before a turn,
// [Turns] gets the vector of the message and the servers' verdicts on it; afterwards a
// server's claim may answer it. An [Inspector] reads tasks without changing them.
//
// The router decides which tools a turn attaches.
package turns
