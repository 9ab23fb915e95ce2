// Package bank holds what people say when they need a tool: a few phrasings for each of
// some thousand tools of known servers. Their source is text in servers; the program
// embeds a table compiled from it.
//
//	bank := bank.Load()
//	for _, entry := range bank.Named("create_issue") { … }
//
// The package identifies tools by name, by hashes of their parameters and description,
// and by a vector of their phrasings. Package ranker decides which tool may use which
// phrasings, and their weight.
package bank
