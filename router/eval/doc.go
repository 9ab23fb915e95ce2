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
package main
