// Package rpc is the connection to a host: JSON-RPC 2.0 in Content-Length
// frames over two pipes, as language servers speak it. A [Conn] answers what
// the other side asks by one [Handler], asks and tells it, and cancels; an
// [Inbox] sees the end of the other side's pipe in time; [Sync], [Async] and
// [Notification] make a [Route] of a function.
//
// conn.go is the only file that knows the library. The package knows nothing
// of methods but $/cancelRequest, and nothing of tools or tasks: what an error
// is called on the wire is for its caller to say ([Options].Error).
package rpc
