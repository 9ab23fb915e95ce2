// Package history holds conversations stored by clients in a common form. A conversation
// has turns. Each turn begins with a message of the user and has the client's requests
// for it, with the calls in the model's responses.
//
// Each subpackage reads the files of one client, and documents the source of its format.
// Nothing is written. Unknown kinds of records and lines that are not JSON are counted
// and skipped. A file that ends within a line is read up to there.
package history

import (
	"encoding/json"
	"time"
)

// Conversation is a stored conversation with a model.
type Conversation struct {
	// Client is the id of its reader.
	Client string
	ID     string
	// Parent is the conversation that started this subagent's; empty for a conversation
	// with the user.
	Parent string
	// Folder is the client's working folder; it may be empty.
	Folder string
	Turns  []Turn
}

// Turn is a message with the requests that followed.
type Turn struct {
	At time.Time
	// Message is the user's message, with the client's additions.
	Message string
	// Summary: the message replaces everything before.
	Summary bool
	// Offered are the tools in requests from here on, if logged; nil means no known
	// change.
	Offered  *Offer
	Requests []Request
}

// Offer is a list of tools.
type Offer struct {
	Tools []Tool
	// Deferred: the client sends only names, and the model searches.
	Deferred bool
	// Groups: the client hides further tools behind those in the list whose names begin
	// with [GroupPrefix].
	Groups bool
}

// GroupPrefix is the prefix of the names that VS Code sends in place of tools.
const GroupPrefix = "activate_"

// Tool is a tool in a request. Some logs have only names; the rest is empty then.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	// Reference is VS Code's, with the server as configured, as in `github/create_issue`.
	Reference string `json:"reference"`
}

// Request is one request to a model, with the calls in its response.
type Request struct {
	Calls []Call
	// Usage is the provider's count; nil if not logged.
	Usage *Usage
}

// Call is a call of a tool.
type Call struct {
	ID string
	// Namespace and Name are the client's names of the tool.
	Namespace, Name string
	// Server and Tool are the MCP server and its tool, if logged.
	Server, Tool string
}

// Usage counts the tokens of a request by the providers' price classes. Input excludes
// cache reads and writes.
type Usage struct{ Input, CacheRead, CacheWrite, Output int }

// Total returns the number of input tokens.
func (u *Usage) Total() int { return u.Input + u.CacheRead + u.CacheWrite }

// Builder builds a conversation in the order of a client's log.
type Builder struct {
	*Conversation

	open bool
}

// User starts a turn.
func (b *Builder) User(at time.Time, message string, summary bool) {
	b.open = false
	b.Turns = append(b.Turns, Turn{At: at, Message: message, Summary: summary})
}

// Offer sets the tools of the next requests.
func (b *Builder) Offer(at time.Time, o Offer) { b.turn(at).Offered = &o }

// Call adds a call to the open request, or to a new one.
func (b *Builder) Call(at time.Time, c Call) {
	if c.Name == "" {
		return
	}
	r := b.request(at)
	r.Calls = append(r.Calls, c)
}

// Request opens a request if none is open. A request without calls counts too.
func (b *Builder) Request(at time.Time) { b.request(at) }

// Usage sets the usage of the open request, or of a new one.
func (b *Builder) Usage(at time.Time, u Usage) { b.request(at).Usage = &u }

// End closes the open request.
func (b *Builder) End() { b.open = false }

// turn returns the current turn. A log may begin within one.
func (b *Builder) turn(at time.Time) *Turn {
	if len(b.Turns) == 0 {
		b.User(at, "", false)
	}
	return &b.Turns[len(b.Turns)-1]
}

func (b *Builder) request(at time.Time) *Request {
	t := b.turn(at)
	if !b.open {
		t.Requests, b.open = append(t.Requests, Request{}), true
	}
	return &t.Requests[len(t.Requests)-1]
}
