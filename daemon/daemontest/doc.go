// Package daemontest drives winnowd as a host does, over its own pipes: within the test's
// process ([Run]) or as a separate process ([Start]). [RunServer] drives a part of it,
// such as a face over a fake engine.
//
//	host := daemontest.Start(t, daemontest.Options{Workspace: dir})
//	host.Initialize(nil)
//	a := daemontest.Call[protocol.Attachment](host, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: "…"})
//
// The client does not use a JSON-RPC library, so that it cannot share a bug with the
// daemon. A failure ends the test and prints the daemon's log.
//
// workspace.go creates workspaces for it.
package daemontest
