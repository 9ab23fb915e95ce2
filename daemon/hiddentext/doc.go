// Package hiddentext takes out of foreign text what a model reads and a person
// does not see: Unicode tags, runs of variation selectors, bidirectional
// controls, zero-width characters, terminal escape sequences and control
// characters. A server can hide instructions in them.
//
// There are two strengths. [Text] is for what only describes: descriptions,
// titles, questions, errors, logs. Nothing invisible stays in it but what a
// script or an emoji needs. [Content] is for what a tool returns, which may be
// a file that is edited by its exact text: only what can do nothing but deceive
// is taken out, and a mark that says so stands in its place. [Descriptions]
// and [Contents] do the same to JSON and leave every other byte as it is.
//
// [Printable] is for what a person reads at a terminal: it takes nothing out, and
// writes what the terminal would obey.
//
// What is invisible follows from the properties of the Unicode Character
// Database that the standard library and golang.org/x/text hold; see class.go.
//
// The package is pure, and says nothing about what visible text says.
package hiddentext
