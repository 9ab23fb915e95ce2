// Package display words for people what the engine knows: the rows of an
// editor's lists with their tooltips, and numbers as they stand beside a name.
// It is pure, and decides nothing: values of package protocol come in, texts go
// out. Faces that people look at use it, so that each of them says the same of
// the same thing.
//
// The texts are in English. Tooltips are Markdown as VS Code reads it, with
// product icons as $(name); what servers and users wrote is escaped in it.
package display
