// Package shaping makes the results of tools fit into a model's context.
//
// [Shape] truncates what is too long and adds a note on what was left out and how to read
// it. [PageAt], [Lines] and [Grep] return one readable part of the whole. A text keeps
// its head and its tail, a JSON array its leading items, other JSON parts of its members.
// Everything counts except images and audio, which have their own limit and are kept
// whole or left out.
//
// The package is pure: it stores nothing. The daemon stores the whole results under the
// handle in the note.
package shaping
