// Package upstream runs the user's MCP servers: it starts them, restarts them,
// lists their tools, and calls them.
//
// [Manager.Apply] takes the list of servers that should exist and starts, stops
// and restarts servers to match it. One goroutine owns each server.
// [Manager.Snapshot] returns the state of all servers as one immutable value, at
// the cost of an atomic load. A receive on [Manager.Updates] means that there is
// a newer snapshot.
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
//	starting    a connection is being made (tools of an earlier run stay listed)
//	ready       connected, tools listed
//	signedOut   requires an interactive sign-in; see [Manager.SignIn]
//	failed      did not start, or its connection was lost; Status.RetryAt is the
//	            time of the next attempt
//	disabled    disabled by the configuration
//	stopped     stopped by the user; [Manager.Restart] starts it again
//
// The table in state.go lists the permitted transitions. Every connection
// attempt has a generation number; results of an older generation are dropped.
//
// # Guarantees
//
//   - Servers start in parallel and are isolated from each other. A server that
//     exits, hangs, floods its output or sends malformed data affects no other.
//   - The tools of a server outlive its process. They stay in the snapshot, in
//     the same order, and a call to one returns an error with the cause.
//   - The JSON of a tool and of a result is kept byte for byte as the server sent
//     it, except for parts that are not I-JSON or that hide text.
//   - Tools are listed again when the server announces a change, or when the
//     lifetime that the server gives the list (ttlMs) expires.
//   - Credentials of a sign-in are sent only to the authorization server that
//     issued them.
//   - A call returns when its context or the server's timeout ends, even if the
//     server has stopped reading.
//   - A child process starts in a process group of its own. It is killed with its
//     descendants when it is stopped, when it exits, and when the manager is
//     closed. [Manager.Close] takes under two seconds where killed processes exit at
//     once, and under seven in any case. Two limits: a descendant
//     in a session of its own is found on Linux only, by the environment that it
//     inherited. After a SIGKILL of the daemon, Linux kills the children and the
//     next daemon kills their descendants; Windows kills all; on other systems the
//     children read the end of their stdin, which is MCP's request to exit.
//   - Headers, credentials in a URL, answers to inputs, OAuth tokens and the
//     values of env are removed from every error, status and log. A value of env
//     that is short or a path stays, unless its name is that of a secret.
//
// # Layout
//
// This folder holds the supervision. Its subpackages hold MCP's protocol
// ([wire.Dialer], [wire.Connection]), child processes and their sandbox (process),
// sign-in (oauth), the cleaning of text from servers (clean), and the errors that
// say whether a retry can help (fault). None of them imports this package. The
// manifest cache keeps the protocol era that worked; the next start tries it first.
//
// # Scope
//
// The package reads no configuration files. It expands no variables except
// ${input:…}, which are resolved when a server starts. It does not decide which
// tools are shown to which client. It does not talk to an editor: callers pass
// [Hooks] as functions. It is the only MCP client of the daemon.
package upstream
