// Package conversations follows the chats of stateless clients for the life of a process.
// It stores what a later process needs to continue them unchanged: with the same tools in
// the same order, and with the model's rounds that its client never saw.
//
// Every face that serves whole requests uses it: the wire's conversation/route,
// conversation/call and conversation/answer, and the faces of model providers' protocols.
// Package daemon/engine/conversation makes the decisions. This package holds the open
// conversations, their limits and their files.
//
// It does not rank or attach. It knows a task as a name and a state to store.
package conversations
