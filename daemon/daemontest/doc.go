// Package daemontest drives winnowd as a host does, over its own pipes: in the
// process of the test ([Run]) or as a process of its own ([Start]). [RunServer]
// drives a part of it, such as a face over a fake engine.
//
//	host := daemontest.Start(t, daemontest.Options{Workspace: dir})
//	host.Initialize(nil)
//	a := daemontest.Call[protocol.Attachment](host, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: "…"})
//
// The client is written by hand and knows no JSON-RPC library, so that it
// cannot share a misunderstanding with the daemon. A failure ends the test and
// prints the daemon's log.
//
// workspace.go makes the workspaces for it.
package daemontest
