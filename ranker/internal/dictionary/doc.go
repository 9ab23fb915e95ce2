// Package dictionary puts messages of other languages into the English words
// of tools, by bilingual word lists: dictionary-based query translation, as in
// Pirkola, "The effects of query structure and dictionary setups in
// dictionary-based cross-language information retrieval" (1998). It is no
// translation for reading: it says which English words may be meant.
//
// The lists are plain text in words, one file a language; README.md says how to
// correct one and how to add a language. The command generate compiles them into
// words.table, which is read where it lies in the binary: it costs no time to
// load and no memory.
package dictionary

//go:generate go run ./generate
