package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Backend opens sessions.
type Backend interface {
	// Open begins the session of a client. It returns at once.
	Open(client Client) Session
}

// Client is the other side of a session.
type Client struct {
	// Principal is on whose behalf the client comes.
	Principal principal.Principal
	// Class is theirs, where classes are distinguished; see [AsOneOf].
	Class string
	// Person is who the client is. It is empty with Shared: each call then says
	// whose it is.
	Person
	// Shared: the session is that of all clients of the principal's, of the
	// revisions of MCP that have no sessions. What it lists may not depend on who asks, nor on what was
	// asked before.
	Shared bool
	// Notify notifies the client between its requests; with Shared, all who
	// listen for such notifications. Those that cannot be delivered are dropped.
	Notify func(method string, params map[string]any)
}

// Person is a client as it describes itself.
type Person struct {
	// Name and Version are what the client calls itself.
	Name, Version string
	// Samples, Elicits, ElicitsURL and HasRoots say what the client can be asked:
	// its model, its user by a form or by a page to open, and its roots.
	Samples, Elicits, ElicitsURL, HasRoots bool
}

// Ask puts a request of MCP's to a client, such as elicitation/create, while it
// waits for the answer to one of its own. It returns the client's result, or an
// error when the client refuses, cannot be reached, or ctx ends.
type Ask func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// Session is what one client sees. Its methods are safe for concurrent use.
type Session interface {
	// Tools returns the tools in the order in which the client first saw
	// them, without waiting for anything. Tools are added at the end, and taken
	// away only by the user's rules. A shared session lists the same tools in the
	// same order to every caller.
	Tools(ctx context.Context) ([]Tool, error)
	// Instructions tell a model about the servers; the text is bounded.
	Instructions() string
	// Call runs a tool. What is wrong with the call is an answer, with
	// IsError; an error is for what the model cannot mend.
	Call(ctx context.Context, c Call) (Answer, error)
	// Changed reports whether the list of tools has changed since it was last
	// returned or found changed, as when a server became ready. Whoever asks
	// tells the client.
	Changed(ctx context.Context) bool
	// Resources, Templates and Prompts list what the servers offer besides
	// tools, as JSON of MCP's types, with URIs and names that only the session
	// understands.
	Resources(ctx context.Context) ([]json.RawMessage, error)
	Templates(ctx context.Context) ([]json.RawMessage, error)
	Prompts(ctx context.Context) ([]json.RawMessage, error)
	// Read and Prompt return MCP's results of resources/read and prompts/get
	// for what was listed.
	Read(ctx context.Context, uri string) (json.RawMessage, error)
	Prompt(ctx context.Context, name string, arguments map[string]string) (json.RawMessage, error)
	// Subscribe lets updated be called with the URI of a resource when it has
	// changed, until end is called. That returns when the server knows of it, or
	// its context ends.
	Subscribe(ctx context.Context, uri string, updated func(uri string)) (end func(context.Context), err error)
	// Complete returns MCP's completion of an argument.
	Complete(ctx context.Context, c Completing) (json.RawMessage, error)
	// SetLevel asks for the servers' log from a level of MCP's on.
	SetLevel(ctx context.Context, level string)
	// Fresh is how long what the session lists may be taken for true; 0 where it
	// is about to change.
	Fresh() time.Duration
	// Close ends the session and deletes what it kept.
	Close()
}

// Tool is a tool as a client sees it. Schemas and annotations are JSON,
// byte for byte as the server sent them.
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
	// From is who calls.
	From Person
	Name string
	// Arguments are as the client sent them; nil when it sent none.
	Arguments json.RawMessage
	// Meta is the `_meta` of the request without the progress token; may be nil.
	Meta json.RawMessage
	// Ask reaches the client until the call returns.
	Ask Ask
	// Progress receives what the tool reports; nil when the client did not
	// ask. total is 0 when it is not known.
	Progress func(progress, total float64, message string)
}

// Completing is a question for values of an argument.
type Completing struct {
	// Prompt names the prompt whose argument it is; it is empty for that of a
	// template of resources, URI.
	Prompt, URI string
	// Argument is its name, Value what was typed of it.
	Argument, Value string
	// Chosen are the values of other arguments; may be nil.
	Chosen map[string]string
}

// PagesNeeded is the error of a call that was not made, because its user has to
// open pages first. Elicitations are MCP's, of mode `url`.
type PagesNeeded struct{ Elicitations []json.RawMessage }

// Error implements error.
func (*PagesNeeded) Error() string {
	return "the call was not made: its user has to open a page first"
}

// Answer is the result of a call. Blocks are as the server sent them.
type Answer struct {
	Content           []json.RawMessage
	StructuredContent json.RawMessage
	// Meta is the `_meta` of the result; may be nil.
	Meta    json.RawMessage
	IsError bool
}
