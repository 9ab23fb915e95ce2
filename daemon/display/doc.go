// Package display converts the engine's data into text for people: the rows of an
// editor's lists with their tooltips, and short numbers. It is pure and makes no
// decisions: values of package protocol in, texts out. All faces with a user interface
// use it, so that they describe the same thing alike.
//
// The texts are in English. Tooltips are Markdown for VS Code, with product icons as
// $(name). Text of servers and users is escaped in it.
package display
