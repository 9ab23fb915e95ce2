// Peers compares Winnow's ranker with two search engines that a program could embed
// instead: Bleve and SQLite's FTS5, with their defaults for English. It is a separate
// module so that the product depends on neither.
//
//	cd ranker/eval/peers && go run . -data DIR
//	go test -bench .
//
// The flags are those of ranker/eval. For the size of the largest catalogues, with real
// tools as distractors, where FILE is a tools.jsonl:
//
//	go run . -data DIR -distractors FILE -fill 50000 -limit 50
package main
