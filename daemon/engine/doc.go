// Package engine is the application under every face: what the user's files
// say, which servers run, the catalogues made of them, the open tasks and what
// becomes of the calls of models. [Open] wires its parts, which are small
// packages below this one, each with one reason; an [Engine] hands them out,
// and one goroutine folds what changes into new versions ([Engine.Settle]).
//
//	faces ──► engine ──► turns, conversations ──► calls, gating ──► tasks
//	             │                                     │
//	             ├──► catalog, embeddings ──► workspace, learned, settings
//	             └──► host: the user, as an interface that a face implements
//
// It serves any number of faces and knows no wire: a request is decoded and
// coded by the face through which it came. It decides nothing about tools
// (package router) and speaks no MCP (package upstream).
//
// Every goroutine has an owner that waits for it: [Engine.Close] returns when
// all are gone.
package engine
