package wire

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// Format is a provider's format, as in the settings of an endpoint.
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

// Role is the role of a message.
type Role string

// The roles. A message with only tool results is RoleTool in every format.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Request is a decoded request with the positions of its parts.
type Request struct {
	Format Format
	// Body is the body. It is not changed.
	Body []byte
	// Conversation is the client's id of the conversation; empty if the body has none.
	Conversation string
	// Continues: the provider stores the earlier messages (`previous_response_id`,
	// `conversation`), so Messages is not the whole conversation.
	Continues bool
	// Stored: the provider stores the response, so that later requests may refer to parts
	// of it by id.
	Stored bool
	// Tools are the functions with a name, in order.
	Tools []Tool
	// Required are the names in `tool_choice`.
	Required []string
	// Messages are in order. In Responses each item of `input` is one.
	Messages []Message

	elements []element // of the array of tools
	searches bool      // whether the provider's search tool is among them
	tools    span      // that array
	messages span      // the array of messages; empty if there is none
}

// Tool is a function that the client offers to the model.
type Tool struct {
	// Name is the function's name without its namespace.
	Name string
	// Namespace is the namespace in Responses (`type: namespace`).
	Namespace   string
	Description string
	// Schema is the JSON Schema of the parameters, as in the body.
	Schema []byte
	// Marked: the tool has a cache breakpoint.
	Marked bool
	// Deferred: the client lets the provider load the tool when the model searches for it
	// (`defer_loading`).
	Deferred bool

	at    span
	mark  span // the member cache_control, see [reader.member]
	group int  // index of its element
}

// element is one element of the array of tools: a tool, a group of tools, or
// something else.
type element struct {
	at    span
	tools []int // indices in Request.Tools
	// inner is the array of a group's tools; empty for a single tool.
	inner span
}

// Message is one message of a conversation.
type Message struct {
	Role Role
	// Text is the text of the user, or of the model in other roles.
	Text string
	// Calls are the model's calls of tools.
	Calls []Call
	// Said is the whole content, which identifies the message; see [chats.Digest].
	Said []chats.Part
	// Provider: the message is the provider's own, such as reasoning, and may disappear
	// later in the conversation.
	Provider bool

	at    span
	parts []span // content blocks, if the content is an array
	// partsArray is the array of the parts; empty if the content is a text.
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

// Read decodes a request's body. It keeps body, which must not be changed. An unknown
// format is an [ErrUnknown].
func Read(format Format, body []byte) (*Request, error) {
	q := &Request{Format: format, Body: body, Stored: true}
	p := parser{request: q, reader: newReader(body)}
	read, ok := map[Format]func() fields{
		Chat: p.chat, Responses: p.responses, Messages: p.anthropic, Gemini: p.gemini,
	}[format]
	if !ok {
		return nil, fmt.Errorf("%w: format %q", ErrUnknown, format)
	}
	if err := p.document(read()); err != nil {
		return nil, fmt.Errorf("%s request: %w", format, err)
	}
	return q, nil
}

// parser reads one request.
type parser struct {
	*reader
	request *Request
}

// ToolsText returns the array of tools as in the body; nil if there is none.
func (q *Request) ToolsText() []byte { return q.tools.in(q.Body) }

// Raw returns a message as in the body.
func (q *Request) Raw(m *Message) []byte { return m.at.in(q.Body) }

// say adds a part of a message's content.
func (m *Message) say(kind chats.Kind, name, text string) {
	m.Said = append(m.Said, chats.Part{Kind: kind, Name: name, Text: text})
}

// call adds a call of the model.
func (m *Message) call(c Call) {
	m.Calls = append(m.Calls, c)
	m.say(chats.Call, c.Name, string(c.Arguments))
}

// searchTools are the providers' tools that search deferred tools, for the formats that
// have one: Anthropic's "tool search tool" and the "tool search" of OpenAI's Responses.
var searchTools = map[Format]string{
	Messages:  `{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}`,
	Responses: `{"type":"tool_search"}`,
}

// Defers reports whether the format supports deferred tools that the model searches for.
func (q *Request) Defers() bool { return searchTools[q.Format] != "" }

// isSearch reports whether a tool type is one of searchTools, in any version.
func isSearch(kind string) bool { return strings.HasPrefix(kind, "tool_search") }
