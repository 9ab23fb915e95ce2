// Package bank holds what people say when they need a tool: a few phrasings for
// each of some thousand tools of known servers, as text in servers and as a
// table compiled from it that the program carries.
//
//	bank := bank.Load()
//	for _, entry := range bank.Named("create_issue") { … }
//
// The package knows tools by name, by prints of their parameters and
// description, and by a vector of what is said of them. Which tool may use
// which phrasings, and what they count, is package ranker's.
package bank
