// Package shaping makes the results of tools fit into a context.
//
// [Shape] cuts what is too long and says in the text what it left out and how
// to read it; [PageAt], [Lines] and [Grep] cut one readable part out of the
// whole. A text keeps its head and its tail, a JSON array its leading items,
// other JSON parts of its members. Everything counts but images and audio,
// which have a limit of their own and come whole or not at all.
//
// The package is pure: it keeps nothing. The whole results are kept by the
// daemon, under the handle that a notice names.
package shaping
