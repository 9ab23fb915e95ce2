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

// Connection is one session with a server. The goroutine that owns the server closes it.
// The other methods are safe for concurrent use.
type Connection interface {
	// Call runs one tool. It returns when the context or the timeout ends, even if the
	// server does not respond.
	Call(ctx context.Context, tool ToolCall) (*Result, error)
	// Request makes a request other than tools/call; see [Request].
	Request(ctx context.Context, timeout time.Duration, r Request) (json.RawMessage, error)
	// Subscribe subscribes to updates of a resource; Unsubscribe ends that.
	Subscribe(ctx context.Context, timeout time.Duration, uri string) error
	Unsubscribe(ctx context.Context, timeout time.Duration, uri string) error
	// ListTools reads the complete list of tools.
	ListTools(ctx context.Context) (Listing, error)
	// Ping checks that the server responds. NeedsPing is false for a connection that
	// detects its own end.
	Ping(ctx context.Context) error
	NeedsPing() bool
	// Changed receives when the server announces that its tools have changed.
	Changed() <-chan struct{}
	// Lost is closed when the connection has ended. Cause then returns the reason.
	Lost() <-chan struct{}
	Cause() error
	// Fail ends every call under way with err. Close must still be called.
	Fail(err error)
	// Close ends the session and returns when everything is released. Closing hurry
	// shortens a gentle close.
	Close(g process.Grace, hurry <-chan struct{})
}

// Handshake is the result of a successful attempt to connect.
type Handshake struct {
	Conn Connection
	// Era and Version are the negotiated ones.
	Era     Era
	Version string
	OAuth   bool
	PID     int

	Info         Info
	Instructions string
	Capabilities json.RawMessage
	Listing      Listing
}

// Attempt holds the parameters of one attempt to connect.
type Attempt struct {
	Config     Config
	Generation uint64
	// Known is the era that worked the last time. Silences counts the last consecutive
	// attempts without any response.
	Known    Era
	Silences int
	// OAuth is set when an earlier connection needed a token.
	OAuth bool
	// Redirect is the redirect that ended the last connection, or nil. The user is asked
	// about it first.
	Redirect *RedirectError
	// Started, which may be nil, is called with the process id of a child right after its
	// start.
	Started func(pid int)
	// Fresh: a new process must be started.
	Fresh bool
	// Listed, which may be nil, is called before each listing of the tools. If it returns
	// true, its tools are the list, and the server is not asked.
	Listed func(ctx context.Context) ([]Tool, bool, error)
	// Log receives the server's output. Redact collects its secrets.
	Log    *clean.Ring
	Redact *clean.Redactor
}

// DialFunc connects to a server and lists its tools. ctx bounds the attempt, not the
// connection.
type DialFunc func(ctx context.Context, a Attempt) (*Handshake, error)

// ToolCall is one call of a tool.
type ToolCall struct {
	Tool    string
	Args    json.RawMessage
	Timeout time.Duration
	// Meta is the `_meta` of the request; may be nil.
	Meta json.RawMessage
	// Caller answers the server's requests; if nil, they are refused.
	Caller *Caller
	// Principal is who the call is made for; see [OnBehalf].
	Principal principal.Principal
	// Progress, which may be nil, is called on the caller's goroutine.
	Progress func(Progress)
}

// principalKey is the context key of a request's [principal.Principal].
type principalKey struct{}

// OnBehalf returns the principal that a request to a server is made for. The zero value
// stands for the connection itself: handshake, lists and streams.
func OnBehalf(ctx context.Context) principal.Principal {
	p, _ := ctx.Value(principalKey{}).(principal.Principal)
	return p
}

// Progress is one progress notification of a call.
type Progress struct {
	// Progress increases. Total is 0 if unknown.
	Progress, Total float64
	Message         string
}

// Result is a tool's answer.
type Result struct {
	// Raw is the result object of tools/call, byte for byte as the server sent
	// it.
	Raw json.RawMessage
	// IsError is set if the tool itself reports a failure.
	IsError bool
}

// unhide removes hidden text from the server's description of itself.
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

// Info is the name and version that a server reports of itself.
type Info struct {
	Name    string `json:"name,omitempty"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version,omitempty"`
}

// Tool is one tool of a server.
type Tool struct {
	// Name is the tool's name at the server, of any length.
	Name string
	// Raw is the JSON of the tool, byte for byte as the server sent it. It
	// must not be changed.
	Raw json.RawMessage
}
