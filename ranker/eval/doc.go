// Eval measures how well and how fast Winnow's rankers find the tools that
// messages need, beside those of other products.
//
//	go run ./ranker/eval                    the small set of our own that ships
//	go run ./ranker/eval -data DIR          every set under DIR
//	go run ./ranker/eval -data DIR -ablate  each part of the ranker switched off
//
// A set is a folder with tools.jsonl, one tool a line as {"server", "name",
// "description", "inputSchema"}, and queries.jsonl, one message a line as
// {"query", "gold": [[server, name], …]}. Beside gold a message may have
// "gold_alternatives", a list of groups of tools of which any one serves, and
// "kind". The messages of no_tool.jsonl, where a set has one, need no tool. It
// prints, for each ranker, the macro mean over sets of recall, hit rate, nDCG
// and reciprocal rank, how often every needed tool was found, paired bootstrap
// intervals against a baseline (-baseline), time a query and memory; the same
// for every set (-per-set) and kind of message (-per-kind), and how many tools
// the messages get that need none. -models measures other embedding models
// beside the built-in one. The small set is a smoke test whose
// figures the tests keep from falling; it is too small to choose a ranker by.
package main
