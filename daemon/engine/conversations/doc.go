// Package conversations follows the chats of stateless clients for the life of
// a process, and keeps what a later process needs so that they go on as they
// were: with the same tools in the same order, and with what the model did that
// its client never saw.
//
// It is used by every face that serves whole requests: the wire's
// conversation/route, conversation/call and conversation/answer, and whoever
// speaks a model provider's wire. What it decides is decided by package
// daemon/engine/conversation; here are the conversations that are open, their bounds,
// and the file that each one is kept in.
//
// It ranks and attaches nothing. A task is a name to it, and a state that it
// keeps and hands back.
package conversations
