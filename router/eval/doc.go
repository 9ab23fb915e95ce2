// Command eval measures the cost and the value of a message's attachment, by how many
// tools are attached in full and how many are named:
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
// Of 240 messages in an editor over 1,387 tools, 15 in full with 105 named (the
// profile lean) have all that is needed in full for .842 and by name for .987, with
// 6,650 tokens of tools in the first request; 30 with 90 (the default) for .937 and
// .983, with 11,940. A task of six requests with 10,000 tokens besides the tools
// takes 6.16 requests and 103,000 tokens by the first, 6.06 and 133,000 by the second.
//
// winnow.initialK is 30 by default although 15 is cheaper here, for two reasons. The
// measure assumes that a model loads every tool that it needs and sees named, which
// was not tested with models. And loading a tool in the middle of a task changes the
// list of tools, which invalidates the provider's prompt cache. The profile lean
// suits users who pay per token.
package main
