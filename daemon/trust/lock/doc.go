// Package lock compares what servers say of their tools with what was locked:
// a hash of each part of a tool, in a file that is made to be committed.
//
// A tool that is as it is locked passes. Whoever reads what [Compare] found
// decides what becomes of the others. The package is pure: it compares values.
package lock
