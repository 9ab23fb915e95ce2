package protocol

import "encoding/json"

// ConversationRouteParams routes one request of a host that is stateless:
// conversation/route.
type ConversationRouteParams struct {
	// Conversation is the host's own id; empty finds the task by messages.
	Conversation string `json:"conversation,omitzero"`
	// Known names an earlier request that this one begins like. Without it
	// Messages are the whole request.
	Known *ConversationKnown `json:"known,omitzero"`
	// Messages are the digests of the request's messages, oldest first; with
	// Known of those after the messages that both requests share.
	Messages []MessageDigest `json:"messages"`
	// Message is the user's own words of the newest user message. Where it is
	// empty, they are found in Text.
	Message string `json:"message,omitzero"`
	// Text is that message as its client wrote it, who may have put the open
	// files, reminders and the like around the words.
	Text string `json:"text,omitzero"`
	// Called names tools that the conversation has called, besides those that
	// Messages name.
	Called []string `json:"called,omitzero"`
	Source string   `json:"source,omitzero"`
	// Mode is the slug of a mode; empty goes by Agent.
	Mode string `json:"mode,omitzero"`
	// Agent is what the host calls the agent, or the mode of its own, that the
	// user works with. The mode of this name or slug is meant by it, in any
	// case of the letters; where there is none, the current mode.
	Agent string      `json:"agent,omitzero"`
	Model ModelLimits `json:"model,omitzero"`
	// Client is what the host would send by itself, where it hides tools; absent
	// keeps what it said before, or that it hides none.
	Client *ClientTools `json:"client,omitzero"`
	// ToolsFirst: the provider caches the tools before the messages, and nothing
	// says when the cache is gone. A message adds tools as [ProxySettings] say.
	ToolsFirst bool `json:"toolsFirst,omitzero"`
	// WantState asks for the state of the task in the attachment. A host whose
	// conversations the daemon keeps does without.
	WantState bool `json:"wantState,omitzero"`
}

// ConversationKnown is what both sides know of an earlier request, so that only
// what is new crosses the wire. A daemon that does not know it, because it was
// started since or has seen a later request, refuses it by
// [KindContentModified]; the host then sends the whole request.
type ConversationKnown struct {
	Task string `json:"task"`
	// Request is the number that conversation/route gave the request.
	Request int64 `json:"request"`
	// Messages counts the messages at the beginning that are the same.
	Messages int `json:"messages"`
	// Generation is that of the attachment which the host has; 0 is none.
	Generation int64 `json:"generation,omitzero"`
	// Internal is the highest id of the [InternalRounds] that the host has.
	Internal int64 `json:"internal,omitzero"`
}

// MessageDigest stands for one message of a request.
type MessageDigest struct {
	// Role is `system`, `user`, `assistant` or `tool`. A tool result is never
	// `user`.
	Role string `json:"role"`
	// Digest is any string that equal messages share.
	Digest string `json:"digest"`
	// Summary: the client has put the message in place of others. A history in
	// which nobody has answered, and nothing is summarized, begins another
	// conversation of its id, such as a subagent's.
	Summary bool `json:"summary,omitzero"`
	// Calls are the calls of tools in an assistant's message.
	Calls []MessageCall `json:"calls,omitzero"`
}

// MessageCall is a call of a tool in a message.
type MessageCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ConversationRouteResult answers conversation/route.
type ConversationRouteResult struct {
	Task string `json:"task"`
	// Request numbers the request within its task, from 1.
	Request int64 `json:"request"`
	// Title is the beginning of the conversation's first message, on one line.
	// It is the user's text: show it, never log it.
	Title string `json:"title,omitzero"`
	// NewTurn: the request began a turn.
	NewTurn bool `json:"newTurn"`
	// Compacted: what was said before stands in the history no more but for a
	// summary, so the tools were chosen afresh. A history that was edited
	// otherwise keeps those that it had.
	Compacted  bool       `json:"compacted,omitzero"`
	Attachment Attachment `json:"attachment"`
	// KeptTools is how many tools at the beginning of the attachment that the
	// host has (see [ConversationKnown]) stay; Attachment.Tools are those after
	// them.
	KeptTools int `json:"keptTools,omitzero"`
	// Internal is what the history of the request lacks.
	Internal []InternalRounds `json:"internal,omitzero"`
}

// InternalRounds are what a model did and its client never saw, since Winnow
// answered it, such as a call of mcp_load. Put back into later requests, the
// model remembers what it loaded, and the prompt's beginning stays the same for
// its cache.
type InternalRounds struct {
	// ID numbers them within the task, from 1, the older the smaller.
	ID int64 `json:"id"`
	// Message is the place, in the request, of the assistant's message that
	// they belong to.
	Message int `json:"message"`
	// Known: the host has the content, which is left out.
	Known bool `json:"known,omitzero"`
	// Rounds go before the message, oldest first. The client may have put the
	// text of all of them into the message: there it is taken away.
	Rounds []InternalRound `json:"rounds,omitzero"`
	// Calls go behind the message's own, and Answers, their results, after it.
	Calls   []json.RawMessage `json:"calls,omitzero"`
	Answers []CallAnswer      `json:"answers,omitzero"`
}

// InternalRound is one answer of a model whose calls were all answered by
// Winnow.
type InternalRound struct {
	// Parts are the host's own, in whatever form it gave them.
	Parts   []json.RawMessage `json:"parts"`
	Answers []CallAnswer      `json:"answers"`
}

// CallAnswer is what Winnow answered to a call of a model.
type CallAnswer struct {
	// Call is the id of the call.
	Call string `json:"call"`
	Text string `json:"text"`
}

// ConversationCallParams asks what becomes of a call that a model made in its
// answer to a routed request: conversation/call. Calls of tools that the host
// added itself need not be asked about.
type ConversationCallParams struct {
	Task string `json:"task"`
	// Name and Arguments are as the model gave them.
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitzero"`
	// Generation is that of the attachment which the host has; 0 is none.
	Generation int64 `json:"generation,omitzero"`
}

// ConversationCallResult says what becomes of a call: the host runs it, where
// Host is present, or the content is the answer for the model. What is refused
// is an answer too.
type ConversationCallResult struct {
	TaskCallResult
	// KeptTools is as in [ConversationRouteResult].
	KeptTools int `json:"keptTools,omitzero"`
}

// ConversationAnswerParams reports what a model answered to a routed request,
// or to its continuation: conversation/answer. A host need not report an answer
// when Winnow has answered no call since the request.
type ConversationAnswerParams struct {
	Task string `json:"task"`
	// Request is the number that conversation/route gave it.
	Request int64 `json:"request"`
	// Parts are the answer's, in order.
	Parts []AnswerPart `json:"parts"`
	// Calls are the ids of the calls that the client got.
	Calls []string `json:"calls"`
	// Answers are what conversation/call answered to the others.
	Answers []CallAnswer `json:"answers"`
}

// AnswerPart is one part of a model's answer.
type AnswerPart struct {
	// Call is the id of the call that the part is; empty for other parts.
	Call string `json:"call,omitzero"`
	// Part is the part in the host's own form. It is kept as it is.
	Part json.RawMessage `json:"part"`
}

// ConversationAnswerResult answers conversation/answer.
type ConversationAnswerResult struct {
	Next ConversationNext `json:"next"`
}

// ConversationNext is what a host does after a model's answer.
type ConversationNext string

// The values of [ConversationNext].
const (
	// NextEnd: the answer is complete.
	NextEnd ConversationNext = "end"
	// NextSend: the model has to be asked again, with its answer and Winnow's
	// own added to the messages.
	NextSend ConversationNext = "send"
	// NextSendLast is as NextSend, for the last time: the request offers none
	// of Winnow's own tools.
	NextSendLast ConversationNext = "sendLast"
	// NextStop: the model has asked for tools too often without doing anything
	// else. The user is told.
	NextStop ConversationNext = "stop"
)
