// Package engine is the application behind every face: the user's files, the running
// servers, the catalogues made of them, the open tasks, and the calls of models. [Open]
// wires its parts, which are small packages below this one with one responsibility each.
// An [Engine] exposes them. One goroutine applies changes as new versions
// ([Engine.Settle]).
//
//	faces ──► engine ──► turns, conversations ──► calls, gating ──► tasks
//	             │                                     │
//	             ├──► catalog, embeddings ──► workspace, learned, settings
//	             └──► host: the user, as an interface that a face implements
//
// It serves any number of faces and knows no wire protocol; each face decodes and encodes
// its own. Package router decides about tools, and package upstream speaks MCP.
//
// Every goroutine has an owner that waits for it: [Engine.Close] returns when all have
// ended.
package engine
