// Package jsonc reads and edits JSON with comments and trailing commas. An
// [Editor] leaves everything it is not asked to change as it is: comments,
// order, blanks, line ends, trailing commas. [Edits] tells an editor or a
// diff what became of a text.
//
// The package works on texts. It knows nothing of files, servers or clients.
package jsonc
