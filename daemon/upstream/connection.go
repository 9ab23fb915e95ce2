package upstream

import (
	"context"
	"encoding/json"
	"time"
)

// connection is one live session with a server. The goroutine that owns the
// server closes it; calls are made on it from any goroutine.
type connection interface {
	// call runs one tool. It returns when the context or the timeout ends,
	// whatever the server does.
	call(ctx context.Context, tool toolCall) (*Result, error)
	// request makes another request of MCP's, see [Manager.Request].
	request(ctx context.Context, timeout time.Duration, r Request) (json.RawMessage, error)
	// subscribe asks for announcements of changes of a resource, unsubscribe
	// for none any more.
	subscribe(ctx context.Context, timeout time.Duration, uri string) error
	unsubscribe(ctx context.Context, timeout time.Duration, uri string) error
	// listTools reads the complete list of tools.
	listTools(ctx context.Context) (listing, error)
	// ping asks whether the server is alive. A connection that notices its
	// own end needs none and answers false to needsPing.
	ping(ctx context.Context) error
	needsPing() bool
	// changed receives when the server says that its tools have changed.
	changed() <-chan struct{}
	// lost is closed when the connection has ended by itself; cause says why.
	lost() <-chan struct{}
	cause() error
	// fail ends every call under way with err. close still has to follow.
	fail(err error)
	// close ends the session and releases everything it holds, and returns
	// when that is done. hurry, when closed, shortens a gentle close.
	close(g grace, hurry <-chan struct{})
}

// handshake is the result of a successful attempt to connect.
type handshake struct {
	conn connection
	// era and version are what was agreed on.
	era     Era
	version string
	oauth   bool
	pid     int

	info         Info
	instructions string
	capabilities json.RawMessage
	listing      listing
}

// attempt is what one attempt to connect starts from.
type attempt struct {
	cfg        Config
	generation uint64
	// known is the era that worked the last time; silences counts the last
	// attempts that got no answer at all.
	known    Era
	silences int
	// oauth is set when an earlier connection needed a token.
	oauth bool
	// redirect is what ended the connection before, and the user is asked about
	// first; nil for another end.
	redirect *redirectError
	// log receives the server's output, redact learns its secrets.
	log    *ring
	redact *redactor
}

// dialFunc connects to a server and lists its tools. ctx bounds the attempt
// only; the connection outlives it.
type dialFunc func(ctx context.Context, a attempt) (*handshake, error)

// toolCall is one call of a tool.
type toolCall struct {
	tool    string
	args    json.RawMessage
	timeout time.Duration
	// meta is the `_meta` of the request; may be nil.
	meta json.RawMessage
	// caller may be nil: nobody can be asked.
	caller *Caller
	// progress, which may be nil, is called on the caller's goroutine.
	progress func(Progress)
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
