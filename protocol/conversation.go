package protocol

import "encoding/json"

// ConversationRouteParams routes one request of a host that is stateless:
// conversation/route.
type ConversationRouteParams struct {
	// Conversation is the host's own id; empty finds the task by messages.
	Conversation string `json:"conversation,omitzero"`
	// Initiator is the extension of VS Code's that asks, as VS Code names it. Its
	// agents share the id of a chat and are distinguished by their prompts. Empty is
	// any other client, whose ids are used as they are.
	Initiator string `json:"initiator,omitzero"`
	// Messages are all of the request's, oldest first.
	Messages []MessageDigest `json:"messages"`
	// Message is the user's own words of the newest user message. Where it is
	// empty, they are found in the parts of Messages.
	Message string `json:"message,omitzero"`
	// Tools are those that the host offers with the request, where it is VS Code:
	// Source names a [Listing], and the answer holds all that is to be done with
	// the request. Absent for other hosts, who do that themselves.
	Tools json.RawMessage `json:"tools,omitzero" types:"RequestTool[]"`
	// ToolsID names Tools by what they are, as a hash does. With it alone they are
	// those of an earlier request; the daemon keeps the eight lists that were used
	// last, and refuses one that it does not know with [KindUnknownSource].
	ToolsID string `json:"toolsId,omitzero"`
	// AllListed: Tools are the host's own only, and all of MCP's tools in the
	// listing may be attached.
	AllListed bool `json:"allListed,omitzero"`
	// Called names tools that the conversation has called, besides those that
	// Messages name.
	Called []string `json:"called,omitzero"`
	Source string   `json:"source,omitzero"`
	// Mode is the slug of a mode; empty goes by Agent.
	Mode string `json:"mode,omitzero"`
	// Agent is what the host calls the agent, or the mode of its own, that the
	// user works with; empty where VS Code's agent names it in its prompt. The
	// mode of this name or slug is meant by it, in any case of the letters; where
	// there is none, the current mode.
	Agent string      `json:"agent,omitzero"`
	Model ModelLimits `json:"model,omitzero"`
	// ModelName is what people call the model.
	ModelName string `json:"modelName,omitzero"`
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

// RequestTool is a tool as a request offers it.
type RequestTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitzero"`
	InputSchema json.RawMessage `json:"inputSchema,omitzero"`
}

// MessageDigest is one message of a request: its parts, or what stands for them.
type MessageDigest struct {
	// Role is `system`, `user`, `assistant` or `tool`. Without Parts a tool result
	// is never `user`.
	Role string `json:"role"`
	// Digest is any string that equal messages share; empty is made of Parts.
	Digest string `json:"digest,omitzero"`
	// Parts are the content. Summary and Calls are found in them.
	Parts []MessagePart `json:"parts,omitzero"`
	// Summary: the client has put the message in place of others. A history in
	// which nobody has answered, and nothing is summarized, begins another
	// conversation of its id, such as a subagent's.
	Summary bool `json:"summary,omitzero"`
	// Calls are the calls of tools in an assistant's message.
	Calls []MessageCall `json:"calls,omitzero"`
}

// MessagePart is a part of a message of VS Code's, or of a model's answer.
type MessagePart struct {
	Kind PartKind `json:"kind"`
	// Text is that of a text, and what of [PartOther] can be read.
	Text string `json:"text,omitzero"`
	// CallID is the id of a call, and in a result that of the call it answers.
	CallID string `json:"callId,omitzero"`
	// Name and Input are the tool of a call and its arguments.
	Name  string          `json:"name,omitzero"`
	Input json.RawMessage `json:"input,omitzero"`
	// Content is that of a result.
	Content []MessagePart `json:"content,omitzero"`
	// MimeType is the type of data, Sha256 and Length stand for the bytes.
	MimeType string `json:"mimeType,omitzero"`
	Sha256   string `json:"sha256,omitzero"`
	Length   int64  `json:"length,omitzero"`
}

// PartKind says what a [MessagePart] is.
type PartKind string

// The values of [PartKind].
const (
	PartText   PartKind = "text"
	PartCall   PartKind = "call"
	PartResult PartKind = "result"
	PartData   PartKind = "data"
	// PartOther is a part that VS Code's stable API has no name for, such as
	// thinking.
	PartOther PartKind = "other"
)

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
	// Internal is what the history of the request lacks. Of a request with Tools,
	// Edits hold it.
	Internal []InternalRounds `json:"internal,omitzero"`
	// What follows is of a request with Tools.
	//
	// Pass: it is none of a task, and goes to the model with the tools in Keep.
	Pass bool `json:"pass,omitzero"`
	// Open names tools that the host is to call before anything else, and then to
	// send the request anew: what they hide is not known.
	Open []string `json:"open,omitzero"`
	// Keep are the places of the tools that the model is offered as they are,
	// before those of the attachment. The host runs them, unasked.
	Keep []int `json:"keep,omitzero"`
	// Edits turn the messages into those that the model wrote and read.
	Edits []MessageEdit `json:"edits,omitzero"`
	// Sections say where the context goes that is not MCP's, for task/usage.
	Sections []UsageSection `json:"sections,omitzero"`
}

// MessageEdit changes one message of a request.
type MessageEdit struct {
	// Message is its place.
	Message int `json:"message"`
	// Before and After are further messages.
	Before []EditMessage `json:"before,omitzero"`
	After  []EditMessage `json:"after,omitzero"`
	// Drop takes the message itself away; else Parts, where there are any, take
	// the place of its own.
	Drop  bool       `json:"drop,omitzero"`
	Parts []EditPart `json:"parts,omitzero"`
}

// EditMessage is a message that the host has not seen.
type EditMessage struct {
	Role string `json:"role"`
	// Parts are in the form in which the host gave them, and those of results are
	// a [MessagePart].
	Parts []json.RawMessage `json:"parts"`
}

// EditPart is a part of a message: that of a place in it, or another.
type EditPart struct {
	Keep int             `json:"keep"`
	Part json.RawMessage `json:"part,omitzero"`
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
// added itself need not be asked about. In the answer, the host runs the call
// where Host is present; else the content is for the model, and what is refused
// is an answer too.
type ConversationCallParams struct {
	Task string `json:"task"`
	// Name and Arguments are as the model gave them.
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitzero"`
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
	// else. The user is notified.
	NextStop ConversationNext = "stop"
)
