// Package results stores the whole results of tools.
//
// A [Store] stores each truncated result under a random handle that is valid for one
// owner (a task). [Read] returns a part of a result for a request, [Select] for a
// reference in arguments.
//
// The package decides neither how a result is truncated (daemon/results/shaping) nor
// which tool may be called. It is the only one that imports the JSONPath library.
package results
