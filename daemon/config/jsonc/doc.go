// Package jsonc reads and edits JSON with comments and trailing commas. An [Editor] keeps
// everything that it is not told to change: comments, order, blanks, line ends, trailing
// commas. [Lines] converts byte offsets to an editor's positions.
//
// The package works on texts. It does no I/O and knows no servers or clients.
package jsonc
