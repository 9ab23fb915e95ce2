package gateway

import (
	"context"
	"encoding/json"
)

// Backend opens sessions.
type Backend interface {
	// Open begins the session of a client that calls itself so. It returns at
	// once.
	Open(client string) Session
}

// Session is what one client sees. Its methods are safe for concurrent use.
type Session interface {
	// Tools returns the tools in the order in which the client first saw
	// them; tools are added at the end and never taken away.
	Tools(ctx context.Context) ([]Tool, error)
	// Instructions tell a model about the servers; the text is bounded.
	Instructions() string
	// Call runs a tool. What is wrong with the call is an answer, with
	// IsError; an error is for what the model cannot mend.
	Call(ctx context.Context, c Call) (Answer, error)
	// Grew reports whether the list of tools has grown since it was last
	// returned or asked about, as when a server became ready.
	Grew(ctx context.Context) bool
	// Close ends the session and deletes what it kept.
	Close()
}

// Tool is a tool as a client is told of it. Schemas and annotations are JSON,
// byte for byte as the server sent them.
type Tool struct {
	Name        string
	Title       string
	Description string
	InputSchema json.RawMessage
	// OutputSchema and Annotations may be nil.
	OutputSchema json.RawMessage
	Annotations  json.RawMessage
}

// Call is a client's call of a tool.
type Call struct {
	Name string
	// Arguments are as the client sent them; nil when it sent none.
	Arguments json.RawMessage
	// Progress receives what the tool reports; nil when the client did not
	// ask. total is 0 when it is not known.
	Progress func(progress, total float64, message string)
}

// Answer is the result of a call. Blocks are as the server sent them.
type Answer struct {
	Content           []json.RawMessage
	StructuredContent json.RawMessage
	IsError           bool
}
