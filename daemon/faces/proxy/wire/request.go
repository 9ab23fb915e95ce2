package wire

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// Format names a provider's format, as in the settings of an endpoint.
type Format string

// The formats.
const (
	// Chat is OpenAI's chat completions: POST …/chat/completions.
	Chat Format = "chat"
	// Responses is OpenAI's Responses API: POST …/responses.
	Responses Format = "responses"
	// Messages is Anthropic's messages API: POST …/messages.
	Messages Format = "messages"
	// Gemini is Google's generateContent and streamGenerateContent.
	Gemini Format = "gemini"
)

// Role says whose a message is.
type Role string

// The roles. A message that holds only results of tools is RoleTool in every
// format.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Request is a request whose parts have been found in its body.
type Request struct {
	Format Format
	// Body is what was read. It is not changed.
	Body []byte
	// Model is the model's name; empty where the address has it.
	Model string
	// Stream: the answer is asked for as events.
	Stream bool
	// Conversation is the client's own id of the conversation; empty where the
	// body has none.
	Conversation string
	// Continues: the provider keeps what came before (`previous_response_id`,
	// `conversation`), so the messages are not the whole conversation.
	Continues bool
	// Stored: the provider keeps the answer, so that later requests may name
	// parts of it by id.
	Stored bool
	// Tools are those with a name, schema and description, in their order.
	Tools []Tool
	// Required are names that `tool_choice` names.
	Required []string
	// Messages are in their order. In Responses each item of `input` is one.
	Messages []Message

	elements []element // of the array of tools
	searches bool      // the provider's own search tool is among them
	tools    span      // that array
	messages span      // the array of messages; empty where there is none
}

// Tool is a function that the client offers to the model.
type Tool struct {
	// Name is the function's name, without the namespace that it stands in.
	Name string
	// Namespace is that of Responses' `type: namespace`.
	Namespace   string
	Description string
	// Schema is the JSON Schema of the parameters, as it stands in the body.
	Schema []byte
	// Marked: a cache breakpoint stands behind the tool.
	Marked bool
	// Deferred: the client has asked the provider to load the tool when the
	// model searches for it (`defer_loading`).
	Deferred bool

	at    span
	mark  span // the member cache_control, see [reader.member]
	group int  // the element that it stands in
}

// element is one element of the array of tools: a tool, a group of tools, or
// something else.
type element struct {
	at    span
	tools []int // positions in Request.Tools
	// inner is the array of a group's tools; empty for a single tool.
	inner span
}

// Message is one message of a conversation.
type Message struct {
	Role Role
	// Text is what a person wrote; of any other role it is what the model said.
	Text string
	// Calls are the model's calls of tools.
	Calls []Call
	// Said is all that the message says, by which it is known; see [chats.Digest].
	Said []chats.Part
	// Provider: it is of the provider's own, such as reasoning, which comes and
	// goes while a conversation goes on.
	Provider bool

	at    span
	parts []span // content blocks, where the content is an array
	// partsArray is the array of the parts; empty where the content is a text.
	partsArray span
}

// Call is a call of a tool by the model.
type Call struct {
	ID        string
	Name      string
	Namespace string
	// Arguments is a JSON object.
	Arguments []byte
}

// Read reads a request's body.
func Read(format Format, body []byte) (*Request, error) {
	q := &Request{Format: format, Body: body, Stored: true}
	p := parser{request: q, reader: newReader(body)}
	members, ok := map[Format]func(string) error{
		Chat: p.chat, Responses: p.responses, Messages: p.anthropic, Gemini: p.gemini,
	}[format]
	if !ok {
		return nil, fmt.Errorf("%w: format %q", ErrUnknown, format)
	}
	if err := p.document(members); err != nil {
		return nil, fmt.Errorf("%s request: %w", format, err)
	}
	return q, nil
}

// parser reads one request.
type parser struct {
	*reader
	request *Request
}

// ToolsText returns the array of tools as it stands in the body; nil where
// there is none.
func (q *Request) ToolsText() []byte { return q.tools.in(q.Body) }

// Raw returns a message as it stands in the body.
func (q *Request) Raw(m *Message) []byte { return m.at.in(q.Body) }

// say notes a part of what a message says.
func (m *Message) say(kind chats.Kind, name, text string) {
	m.Said = append(m.Said, chats.Part{Kind: kind, Name: name, Text: text})
}

// call notes a call of the model's.
func (m *Message) call(c Call) {
	m.Calls = append(m.Calls, c)
	m.say(chats.Call, c.Name, string(c.Arguments))
}

// searchTools are the providers' own tools by which a model finds tools that
// are deferred, for the formats that have one: Anthropic's "tool search tool"
// and the "tool search" of OpenAI's Responses.
var searchTools = map[Format]string{
	Messages:  `{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}`,
	Responses: `{"type":"tool_search"}`,
}

// Defers reports whether the request's format has tools that the provider
// loads when the model searches for them.
func (q *Request) Defers() bool { return searchTools[q.Format] != "" }

// isSearch reports whether a tool of this type is one of searchTools, in any
// version.
func isSearch(kind string) bool { return strings.HasPrefix(kind, "tool_search") }
