// Package fault has the errors by which the layers of daemon/upstream tell its
// supervision what to do next: whether another attempt can help, and what the
// user can do.
//
// It holds no errors of MCP's, and none that leaves daemon/upstream: those of a
// call are in daemon/upstream and its wire.
package fault
