// Eval measures how well and how fast Winnow's rankers find the tools that messages need,
// compared with other products' rankers.
//
//	go run ./ranker/eval                    the small set of our own that ships
//	go run ./ranker/eval -data DIR          every set under DIR
//	go run ./ranker/eval -data DIR -ablate  each part of the ranker switched off
//
// A set is a folder with tools.jsonl, one tool per line as {"server", "name",
// "description", "inputSchema"}, and queries.jsonl, one message per line as {"query",
// "gold": [[server, name], …]}. A message may also have "gold_alternatives", a list of
// groups of tools of which any one is enough, and "kind". The messages of no_tool.jsonl,
// if a set has one, need no tool. Eval prints, for each ranker, the macro mean over sets
// of recall, hit rate, nDCG and reciprocal rank, how often every needed tool was found,
// paired bootstrap intervals against a baseline (-baseline), the time per query and the
// memory. It prints the same for every set (-per-set) and kind of message (-per-kind),
// and how many tools the messages get that need none. -models measures other embedding
// models. The small set is a smoke test, whose figures the tests guard; it is too small
// for choosing a ranker.
package main
