// Package results keeps the whole results of tools.
//
// A [Store] keeps each result that was cut under a handle that cannot be
// guessed and is good for one owner (a task) only; [Read] answers a request
// for a part of one, and [Select] one that stands in arguments.
//
// The package decides nothing about how a result is cut (daemon/results/shaping) or
// which tool may be called. It is the only one that imports the JSONPath
// library.
package results
