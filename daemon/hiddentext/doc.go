// Package hiddentext removes from untrusted text what a model reads but a person does not
// see: Unicode tags, runs of variation selectors, bidirectional controls, zero-width
// characters, terminal escape sequences and control characters. A server can hide
// instructions in them.
//
// There are two strengths. [Text] is for descriptions, titles, questions, errors and
// logs. It keeps only invisible characters that a script or an emoji needs. [Content] is
// for tools' results, which may be a file that is edited by its exact text. It replaces
// only what is always deceptive, by a mark. [Descriptions] and [Contents] do the same in
// JSON and keep every other byte.
//
// [Printable] is for output at a terminal. It removes nothing, and escapes what the
// terminal would execute.
//
// Invisible characters are determined by the properties of the Unicode Character Database
// in the standard library and golang.org/x/text; see class.go.
//
// The package is pure, and ignores the meaning of visible text.
package hiddentext
