// Peers measures Winnow's ranker beside two search engines that a program
// could embed instead: Bleve and the FTS5 of SQLite, with their defaults for
// English. It is a module of its own so that the product depends on neither.
//
//	cd ranker/eval/peers && go run . -data DIR
//	go test -bench .
//
// The flags are those of ranker/eval. At the size of the largest catalogues,
// with real tools to tell apart from, where FILE is a tools.jsonl:
//
//	go run . -data DIR -distractors FILE -fill 50000 -limit 50
package main
