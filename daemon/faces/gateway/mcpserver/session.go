package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Backend opens sessions.
type Backend interface {
	// Open opens the session of a client. It returns at once.
	Open(client Client) Session
}

// Client is the client of a session.
type Client struct {
	// Principal is the user of the client.
	Principal principal.Principal
	// Class is the class of the user, if classes are used; see [AsOneOf].
	Class string
	// Person describes the client. It is empty with Shared: then each call has its own.
	Person
	// Shared: all clients of the principal use the session, with a revision of MCP
	// without sessions. Its lists must depend neither on the client nor on earlier
	// requests.
	Shared bool
	// Notify sends a notification outside a request; with Shared, to all clients that
	// listen for it. Undeliverable notifications are dropped.
	Notify func(method string, params map[string]any)
}

// Person is a client as it describes itself.
type Person struct {
	// Name and Version are those that the client reports.
	Name, Version string
	// Samples, Elicits, ElicitsURL and HasRoots report what the client supports:
	// sampling, elicitation by form, elicitation by URL, and roots.
	Samples, Elicits, ElicitsURL, HasRoots bool
}

// Ask sends a request such as elicitation/create to a client that waits for a response.
// It returns the client's result. It returns an error if the client refuses or cannot be
// reached, or ctx ends.
type Ask func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// Session is what one client sees. Its methods are safe for concurrent use.
type Session interface {
	// Tools returns the tools in the order in which the client first received them. It
	// does not wait for servers. Tools are appended, and removed only by the user's
	// rules. A shared session returns the same list to all callers.
	Tools(ctx context.Context) ([]Tool, error)
	// Instructions returns text about the servers for a model. Its length is bounded.
	Instructions() string
	// Call runs a tool. Failures that the model can correct are an Answer with IsError;
	// other failures are errors.
	Call(ctx context.Context, c Call) (Answer, error)
	// Changed reports whether the list of tools has changed since it was last returned or
	// reported as changed. The caller must notify the client.
	Changed(ctx context.Context) bool
	// Resources, Templates and Prompts list what the servers offer besides tools, as JSON
	// of MCP's types. The URIs and names are valid in this session only.
	Resources(ctx context.Context) ([]json.RawMessage, error)
	Templates(ctx context.Context) ([]json.RawMessage, error)
	Prompts(ctx context.Context) ([]json.RawMessage, error)
	// Read and Prompt return the results of resources/read and prompts/get.
	Read(ctx context.Context, uri string) (json.RawMessage, error)
	Prompt(ctx context.Context, name string, arguments map[string]string) (json.RawMessage, error)
	// Subscribe calls updated with the URI after each update of a resource, until end is
	// called. end returns when the server has unsubscribed, or its context ends.
	Subscribe(ctx context.Context, uri string, updated func(uri string)) (end func(context.Context), err error)
	// Complete returns MCP's completion of an argument.
	Complete(ctx context.Context, c Completing) (json.RawMessage, error)
	// SetLevel sets the lowest level of the servers' logs for this session.
	SetLevel(ctx context.Context, level string)
	// Fresh returns how long the lists may be cached; 0 if they are about to change.
	Fresh() time.Duration
	// Close ends the session and deletes its stored data.
	Close()
}

// Tool is a tool as listed to a client. Schemas and annotations are byte for byte as the
// server sent them.
type Tool struct {
	Name        string
	Title       string
	Description string
	InputSchema json.RawMessage
	// OutputSchema, Annotations and Meta may be nil.
	OutputSchema json.RawMessage
	Annotations  json.RawMessage
	Meta         json.RawMessage
}

// Call is a client's call of a tool.
type Call struct {
	// From is the client that calls.
	From Person
	Name string
	// Arguments are as the client sent them; nil if it sent none.
	Arguments json.RawMessage
	// Meta is the `_meta` of the request without the progress token; may be nil.
	Meta json.RawMessage
	// Ask reaches the client until the call returns.
	Ask Ask
	// Progress receives the tool's progress; nil if the client wants none. total is 0 if
	// unknown.
	Progress func(progress, total float64, message string)
}

// Completing is a request for completions of an argument.
type Completing struct {
	// Prompt is the prompt with the argument. If empty, URI is the resource template with
	// it.
	Prompt, URI string
	// Argument is the argument's name, Value the text typed so far.
	Argument, Value string
	// Chosen are the values of other arguments; may be nil.
	Chosen map[string]string
}

// PagesNeeded is the error of a call that was not made because the user must first open
// pages. Elicitations are MCP's, with the mode `url`.
type PagesNeeded struct{ Elicitations []json.RawMessage }

// Error implements error.
func (*PagesNeeded) Error() string {
	return "the call was not made: its user has to open a page first"
}

// Answer is the result of a call. Content blocks are as the server sent them.
type Answer struct {
	Content           []json.RawMessage
	StructuredContent json.RawMessage
	// Meta is the `_meta` of the result; may be nil.
	Meta    json.RawMessage
	IsError bool
}
