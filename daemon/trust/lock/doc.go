// Package lock compares what servers offer with what was locked: a hash of each part of a
// tool, in a file made to be committed.
//
// An unchanged tool passes. [Judge] decides about a changed one; the callers of [Compare]
// decide about its differences themselves.
// The package is pure: it compares values.
package lock
