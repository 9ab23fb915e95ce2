// Package chats knows what the messages of a chat say, whatever client wrote
// them and in whichever format: which words are the user's own, what two
// messages that say the same have in common, and which one is a summary that
// the client has put in place of others; and which servers' tools the names stand
// for that clients give them ([Namer]).
//
// A format's reader gives it the [Part]s of a message; that of VS Code's own
// messages is [ReadVSCode]. It keeps nothing but the digests of messages, and knows no conversation: package
// conversations follows those.
package chats
