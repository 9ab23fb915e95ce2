package wire

import (
	"context"
	"encoding/json"
	"time"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// Connection is one live session with a server. The goroutine that owns the
// server closes it; calls are made on it from any goroutine.
type Connection interface {
	// Call runs one tool. It returns when the context or the timeout ends,
	// whatever the server does.
	Call(ctx context.Context, tool ToolCall) (*Result, error)
	// Request makes another request of MCP's, see [Request].
	Request(ctx context.Context, timeout time.Duration, r Request) (json.RawMessage, error)
	// Subscribe asks for announcements of changes of a resource, Unsubscribe
	// for none any more.
	Subscribe(ctx context.Context, timeout time.Duration, uri string) error
	Unsubscribe(ctx context.Context, timeout time.Duration, uri string) error
	// ListTools reads the complete list of tools.
	ListTools(ctx context.Context) (Listing, error)
	// Ping asks whether the server is alive. A connection that notices its
	// own end needs none and answers false to NeedsPing.
	Ping(ctx context.Context) error
	NeedsPing() bool
	// Changed receives when the server says that its tools have changed.
	Changed() <-chan struct{}
	// Lost is closed when the connection has ended by itself; Cause says why.
	Lost() <-chan struct{}
	Cause() error
	// Fail ends every call under way with err. Close still has to follow.
	Fail(err error)
	// Close ends the session and releases everything it holds, and returns
	// when that is done. hurry, when closed, shortens a gentle close.
	Close(g process.Grace, hurry <-chan struct{})
}

// Handshake is the result of a successful attempt to connect.
type Handshake struct {
	Conn Connection
	// Era and Version are what was agreed on.
	Era     Era
	Version string
	OAuth   bool
	PID     int

	Info         Info
	Instructions string
	Capabilities json.RawMessage
	Listing      Listing
}

// Attempt is what one attempt to connect starts from.
type Attempt struct {
	Config     Config
	Generation uint64
	// Known is the era that worked the last time; Silences counts the last
	// attempts that got no answer at all.
	Known    Era
	Silences int
	// OAuth is set when an earlier connection needed a token.
	OAuth bool
	// Redirect is what ended the connection before, and the user is asked about
	// first; nil for another end.
	Redirect *RedirectError
	// Started is called with the process id of a child, before it has said
	// anything; nil is for callers that need none.
	Started func(pid int)
	// Fresh: the user wants another process than the last one.
	Fresh bool
	// Log receives the server's output, Redact learns its secrets.
	Log    *clean.Ring
	Redact *clean.Redactor
}

// DialFunc connects to a server and lists its tools. ctx bounds the attempt
// only; the connection outlives it.
type DialFunc func(ctx context.Context, a Attempt) (*Handshake, error)

// ToolCall is one call of a tool.
type ToolCall struct {
	Tool    string
	Args    json.RawMessage
	Timeout time.Duration
	// Meta is the `_meta` of the request; may be nil.
	Meta json.RawMessage
	// Caller may be nil: nobody can be asked.
	Caller *Caller
	// Principal is on whose behalf the call is made; see [OnBehalf].
	Principal principal.Principal
	// Progress, which may be nil, is called on the caller's goroutine.
	Progress func(Progress)
}

// principalKey carries on whose behalf a request is made.
type principalKey struct{}

// OnBehalf returns on whose behalf a request to a server is made. The zero value
// is the connection itself, which begins, lists and listens for all.
func OnBehalf(ctx context.Context) principal.Principal {
	p, _ := ctx.Value(principalKey{}).(principal.Principal)
	return p
}

// Progress is one progress notification of a call.
type Progress struct {
	// Progress grows; Total is 0 when it is not known.
	Progress, Total float64
	Message         string
}

// Result is a tool's answer.
type Result struct {
	// Raw is the result object of tools/call, byte for byte as the server sent
	// it.
	Raw json.RawMessage
	// IsError is set when the tool itself reports a failure.
	IsError bool
}

// unhide takes hidden text out of what the server says of itself.
func (h *Handshake) unhide() {
	for _, part := range []struct {
		what string
		text *string
	}{
		{"its name", &h.Info.Name},
		{"its title", &h.Info.Title},
		{"its version", &h.Info.Version},
		{"its instructions", &h.Instructions},
	} {
		text, found := hiddentext.Text(*part.text)
		*part.text = text
		if found.Any() {
			h.Listing.Warnings = append(h.Listing.Warnings, part.what+": "+clean.HiddenWarning(found))
		}
	}
}

// Info names the software behind a server, as it calls itself.
type Info struct {
	Name    string `json:"name,omitempty"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version,omitempty"`
}

// Tool is one tool of a server.
type Tool struct {
	// Name is the tool's name as the server knows it, of any length.
	Name string
	// Raw is the JSON of the tool, byte for byte as the server sent it. It
	// must not be changed.
	Raw json.RawMessage
}
