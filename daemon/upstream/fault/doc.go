// Package fault defines the errors that tell daemon/upstream whether a retry can help and
// what the user can do.
//
// Errors of a call are defined in daemon/upstream and daemon/upstream/wire.
package fault
