// Package shaping makes the results of tools fit into a context.
//
// [Shape] cuts what is too long and says in the text what it left out and how
// to read it; [Page] cuts one readable part out of the whole. A text keeps its
// head and its tail, a JSON array its leading items, other JSON loses whole
// members and never a part of a string. Images, audio, resources and
// structured content are never touched.
//
// The package is pure: it keeps nothing. The whole results are kept by the
// daemon, under the handle that a notice names.
package shaping
