// Package history is what clients keep of conversations, in one small form: a
// conversation has turns, each of which begins with a message of the user's and
// has the requests that the client made for it, with the calls that the model
// answered.
//
// A package below it reads what one client keeps, and says where its format is
// described. Nothing is written and nobody is asked. What these formats have
// besides is passed over: records of kinds that are not known are counted, lines
// that are no JSON too, and a file that ends in the middle of a line is read to
// there.
package history

import (
	"encoding/json"
	"time"
)

// Conversation is what a client kept of one conversation with a model.
type Conversation struct {
	// Client is the id of its reader.
	Client string
	ID     string
	// Parent is the conversation that a subagent's was begun by; empty for one with
	// the user.
	Parent string
	// Folder is where the client worked; it may be empty.
	Folder string
	Turns  []Turn
}

// Turn is a message with what came of it.
type Turn struct {
	At time.Time
	// Message is the user's, with what the client has put around it.
	Message string
	// Summary: the message stands for all that was said before.
	Summary bool
	// Offered are the tools that the requests from here on carried, where the log
	// has them; nil where it does not say that they changed.
	Offered  *Offer
	Requests []Request
}

// Offer is a list of tools.
type Offer struct {
	Tools []Tool
	// Deferred: the client sends the names alone, and its model searches.
	Deferred bool
	// Groups: the client hides further tools behind those of the list whose names
	// begin with [GroupPrefix].
	Groups bool
}

// GroupPrefix begins the names of what VS Code sends in place of tools.
const GroupPrefix = "activate_"

// Tool is a tool as a request has it. Logs with names only leave the rest empty.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Request is one request to a model, with the calls that it answered.
type Request struct {
	Calls []Call
	// Usage is what the provider counted; nil where the log does not have it.
	Usage *Usage
}

// Call is a call of a tool.
type Call struct {
	ID string
	// Namespace and Name are the tool's, as the client names it to its model.
	Namespace, Name string
	// Server and Tool are whose it is, where the log says so.
	Server, Tool string
}

// Usage counts the tokens of a request in the buckets that providers charge for.
// Input is what was neither read from a cache nor written to one.
type Usage struct{ Input, CacheRead, CacheWrite, Output int }

// Total is all that was sent.
func (u *Usage) Total() int { return u.Input + u.CacheRead + u.CacheWrite }

// Builder writes a conversation in the order in which a client's log tells it.
type Builder struct {
	*Conversation

	open bool
}

// User begins a turn.
func (b *Builder) User(at time.Time, message string, summary bool) {
	b.open = false
	b.Turns = append(b.Turns, Turn{At: at, Message: message, Summary: summary})
}

// Offer notes the tools of the next requests.
func (b *Builder) Offer(at time.Time, o Offer) { b.turn(at).Offered = &o }

// Call adds a call to the request that is open, or to a new one.
func (b *Builder) Call(at time.Time, c Call) {
	if c.Name == "" {
		return
	}
	r := b.request(at)
	r.Calls = append(r.Calls, c)
}

// Request begins a request if none is open: one that led to no call counts too.
func (b *Builder) Request(at time.Time) { b.request(at) }

// Usage says what the open request cost, or a new one.
func (b *Builder) Usage(at time.Time, u Usage) { b.request(at).Usage = &u }

// End ends the open request: what follows is of the next.
func (b *Builder) End() { b.open = false }

// turn returns the turn that is on. A log may begin in the middle of one.
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
