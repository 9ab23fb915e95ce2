// Package lock compares what servers offer with what was locked: a hash of each part of a
// tool, in a file made to be committed.
//
// An unchanged tool passes. The callers of [Compare] and [Judge] decide about the others.
// The package is pure: it compares values.
package lock
