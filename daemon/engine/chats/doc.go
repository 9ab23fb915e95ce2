// Package chats knows what the messages of a chat say, whatever client wrote
// them and in whichever format: which words are the user's own, what two
// messages that say the same have in common, and which one is a summary that
// the client has put in place of others.
//
// A format's reader gives it the [Part]s of a message. It keeps nothing, reads
// no wire, and knows no conversation: package conversations follows those.
package chats
