// Command eval measures what a message's attachment costs, and what it is worth,
// by how many tools are attached in full and how many are named:
//
//	go run ./router/eval -data DIR [-initial 10,15,20,30] [-named 0,60] [-unseen servers.json]
//
// DIR holds tools.jsonl, queries.jsonl and no_tool.jsonl, as ranker/eval
// describes them. For each pair of settings it opens a task with each message
// and prints
//
//   - tokens: the mean o200k tokens of the tools of the first request, those of
//     mcp_load with the names included
//   - in full: the share of messages all of whose needs are met by a tool that is
//     attached; or by name: by one that is attached or named
//   - rounds: requests of a whole task, and task: the tokens of all of them. A
//     task takes -requests requests with -context tokens besides the tools. One
//     that needs a tool which is only named takes one more, in which the model
//     asks for it by name, and carries it from then on; one that needs a tool
//     which is neither takes one more too, to look for it.
//   - idle: the mean number of tools attached for a message that needs none
//
// Of 240 messages in an editor over 1,387 tools, 15 in full with 60 named have all
// that is needed in full for .833 and by name for .967, 30 with 60 for .925 and
// .975; without phrasings of these servers .675 and .908, .846 and .917. A task of
// six requests with 10,000 tokens besides the tools takes 6.17 requests and 98,000
// tokens by the first, 6.08 and 131,000 by the second (6.33 and 100,000, 6.15 and
// 130,000). The default of winnow.initialK stays 30 all the same: the measure takes
// it that a model asks for each tool that it reads the name of, which no model was
// asked to show, and a tool that comes in the middle of a task moves all that a
// provider has cached behind its tools. Who pays for every token sets 15.
package main
