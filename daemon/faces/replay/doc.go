// Package replay says what Winnow would have done with the conversations that
// clients have kept: which of the tools that were called each message would have
// brought, and what the requests would have cost.
//
// The engine itself is asked, by the requests of stateless hosts, as the proxy
// asks it, message by message in the order in which they were written, on a clock
// that shows the time of each. It begins without anything learned, and keeps nothing.
// What is sent to no model gets no answer: a call that was made is taken to be made,
// and a tool that the model did not have in full to be asked for by mcp_load.
//
// Nothing is sent anywhere. A provider of embeddings and servers that look at
// messages are left out, and no server is started.
package replay
