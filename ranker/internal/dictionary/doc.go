// Package dictionary translates messages in other languages into the English words of
// tools, by bilingual word lists: dictionary-based query translation, as in Pirkola, "The
// effects of query structure and dictionary setups in dictionary-based cross-language
// information retrieval" (1998). The result is for matching, not for reading.
//
// The lists are plain text in words, one file per language. README.md describes how to
// correct or add one. The command generate compiles them into words.table, which is read
// in place from the binary, without loading time or memory.
package dictionary

//go:generate go run ./generate
