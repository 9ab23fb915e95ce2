// Package toollock keeps the user's lock on what servers offer: what each of
// them said first, what the user approved of, and what waits for an answer. A
// [Keeper] applies it to the tools of each version of the catalogue, and to
// prompts and instructions where they are passed on.
//
// What becomes of a tool is decided by package daemon/trust/lock; here are the time,
// the folder in which the lock is kept, and the answers of the user. Files are
// read when it is opened and written by one goroutine: nobody waits for a disk.
package toollock
