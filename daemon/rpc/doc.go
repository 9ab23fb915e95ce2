// Package rpc is the connection to a host: JSON-RPC 2.0 in Content-Length frames over two
// pipes, as in the Language Server Protocol. A [Conn] answers the peer's requests by one
// [Handler], sends requests and notifications, and cancels. An [Inbox] detects the end of
// the peer's pipe in time. [Sync], [Async] and [Notification] convert functions into a
// [Route].
//
// Only conn.go uses the library. The package knows no method except $/cancelRequest, and
// no tools or tasks. Its caller determines the codes of errors ([Options].Error).
package rpc
