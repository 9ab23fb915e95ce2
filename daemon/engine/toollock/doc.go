// Package toollock keeps the user's lock on what servers offer: what each said first,
// what the user approved, and what waits for an answer. A [Keeper] applies it to the
// tools of each version of the catalogue, and to prompts and instructions when they are
// passed on.
//
// Package daemon/trust/lock decides about each item. This package adds the time, the
// folder of the lock, and the user's answers. It reads files when it is opened and writes
// them in one goroutine, so that callers never wait for a disk.
package toollock
