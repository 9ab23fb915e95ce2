// Package chats interprets the messages of a chat, whatever client wrote them in whatever
// format. It finds the user's own words, what messages with the same content have in
// common, and summaries that replace other messages. It also finds the servers' tools
// behind the names that clients give them ([Namer]).
//
// A format's reader supplies the [Part]s of a message; [ReadVSCode] is that of VS Code's
// own messages. The package caches only digests of messages. Package conversations
// follows conversations.
package chats
