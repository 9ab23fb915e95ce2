// Package upstream runs the user's MCP servers: it starts them, keeps them
// alive, knows their tools, and calls them.
//
// A [Manager] is given the list of servers that should exist
// ([Manager.Apply]) and makes it so. Each server is owned by one goroutine.
// What the manager knows is published as one immutable value
// ([Manager.Snapshot]) that costs an atomic load to read; a receive on
// [Manager.Updates] says that there is a newer one.
//
//	manager := upstream.NewManager(upstream.Options{StorageDir: dir, Logger: log})
//	err := manager.Apply(ctx, []upstream.Config{{Name: "files", Command: "npx", Args: args}})
//	go func() {
//		for range manager.Updates() {
//			use(manager.Snapshot())
//		}
//	}()
//	result, err := manager.Call(ctx, upstream.CallRequest{Server: "files", Tool: "read_file", Arguments: json})
//	err = manager.Close(ctx)
//
// # States
//
// A server is always in exactly one [State]:
//
//	configured  known by its configuration only
//	known       not running; its tools come from the manifest cache
//	starting    being connected to (tools of an earlier run stay listed)
//	ready       connected, tools listed
//	signedOut   wants an interactive sign-in; see [Manager.SignIn]
//	failed      could not be started, or was lost; Status.RetryAt says when it
//	            is tried again
//	disabled    the configuration says so
//	stopped     the user said so; [Manager.Restart] starts it again
//
// The permitted transitions are the table in state.go. Every connection
// attempt has a generation number; what an attempt reports after a newer one
// began is dropped.
//
// # Promises
//
//   - Servers start side by side, and nothing that one server does stops
//     another: it may exit, hang, flood its output or lie.
//   - The tools of a server survive its death. They stay in the snapshot, in
//     the same order, and a call to one answers with the cause.
//   - A tool's JSON is kept byte for byte as the server sent it, and so is
//     the result of a call, but for what is no I-JSON or hides text in them.
//   - Tools are listed again when the server announces a change, or when the
//     time is over that it gives them (ttlMs).
//   - Credentials of a sign-in go to the authorization server that issued them,
//     and to no other.
//   - A call ends when its context or the server's timeout does, also when the
//     server has stopped reading.
//   - A child process is started in a group of its own and dies with its
//     descendants when it is stopped, when it exits by itself, and when the
//     manager is closed. [Manager.Close] takes under two seconds. Two limits:
//     a descendant in a session of its own is found on Linux only, by the
//     environment that it inherited; and after a SIGKILL of the daemon itself
//     Linux kills the children, and the next daemon their descendants, Windows
//     kills all, and elsewhere they find their stdin closed, which is MCP's own
//     request to exit.
//   - Headers, credentials in a URL, answers to inputs, OAuth tokens and the
//     values of env are removed from every error, status and log; of env, what
//     is short or a path stays readable unless its name is that of a secret.
//
// # Rooms
//
// What is in this folder is supervision. Below it lie MCP's wire ([wire.Dialer],
// [wire.Connection]), child processes and their sandbox (process), sign-in
// (oauth) and the cleaning of foreign text (clean); fault has the errors by which
// they say whether another attempt can help. None of them imports this package.
// The era of the protocol that worked is remembered in the manifest cache and
// tried first the next time.
//
// # What the package is not
//
// It reads no configuration files, expands no variables but the ${input:…}
// that are left for the last moment, decides nothing about which tool is
// shown to whom, and speaks to no editor: what it needs from the outside
// ([Hooks]) is handed in as functions. It is the only MCP client of the daemon.
package upstream
