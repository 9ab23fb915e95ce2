package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// capture receives the answer to one request as it came over the wire. mcp-go
// decodes into Go types and loses what they do not name: the top level of a
// schema, fields of a tool, number spelling.
type capture struct {
	result json.RawMessage
	err    *mcp.JSONRPCErrorDetails
}

type captureKey struct{}

// withCapture asks the tap below to fill c with the answer to the next request
// made with the returned context; with several requests the last one stays.
func withCapture(ctx context.Context, c *capture) context.Context {
	return context.WithValue(ctx, captureKey{}, c)
}

// tap stands between mcp-go's client and its transport. The types that embed
// it keep the transport's other methods, by which the client recognises it.
type tap struct {
	era Era
	// cancelsByMessage is set for transports on which the client of mcp-go
	// does not announce that a request was given up (HTTP before 2026-07-28).
	cancelsByMessage bool
	// lost is the end of the connection during server/discover. mcp-go drops
	// it and goes on to initialize.
	lost   error
	notify func(context.Context, mcp.JSONRPCNotification) error
	// background counts announcements under way.
	background sync.WaitGroup
}

// errNoHandshake stops mcp-go from falling back to initialize on a connection
// that is meant for the era without it.
var errNoHandshake = errors.New("the server does not answer server/discover")

type sendFunc func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error)

func (t *tap) send(ctx context.Context, request transport.JSONRPCRequest, next sendFunc) (*transport.JSONRPCResponse, error) {
	if t.era == EraModern && request.Method == string(mcp.MethodInitialize) {
		if t.lost != nil {
			return nil, t.lost
		}
		return nil, errNoHandshake
	}
	response, err := next(ctx, request)
	if request.Method == string(mcp.MethodServerDiscover) && errors.Is(err, transport.ErrTransportClosed) {
		t.lost = err
	}
	if c, ok := ctx.Value(captureKey{}).(*capture); ok && response != nil {
		c.result, c.err = response.Result, response.Error
	}
	if err != nil && ctx.Err() != nil && t.cancelsByMessage && request.Method == string(mcp.MethodToolsCall) {
		t.announceCancel(ctx, request.ID)
	}
	return response, err
}

// announceCancel sends notifications/cancelled, off the caller's path.
func (t *tap) announceCancel(ctx context.Context, id mcp.RequestId) {
	const patience = 5 * time.Second
	t.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		// Best effort: the caller has its answer already.
		_ = t.notify(ctx, mcp.JSONRPCNotification{
			JSONRPC: mcp.JSONRPC_VERSION,
			Notification: mcp.Notification{
				Method: string(mcp.MethodNotificationCancelled),
				Params: mcp.NotificationParams{AdditionalFields: map[string]any{
					"requestId": id, "reason": "the call was cancelled",
				}},
			},
		})
	})
}

// stdioTap is a tapped stdio transport.
type stdioTap struct {
	*transport.Stdio
	tap *tap
}

func (s stdioTap) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return s.tap.send(ctx, r, s.Stdio.SendRequest)
}

// httpTap is a tapped streamable HTTP transport.
type httpTap struct {
	*transport.StreamableHTTP
	tap *tap
}

func (h httpTap) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return h.tap.send(ctx, r, h.StreamableHTTP.SendRequest)
}

// sseTap is a tapped SSE transport.
type sseTap struct {
	*transport.SSE
	tap *tap
}

func (s sseTap) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return s.tap.send(noDeadline{ctx}, r, s.SSE.SendRequest)
}

// noDeadline hides when a context will end, not that it does. mcp-go's SSE
// transport makes a timer of its own from a deadline, which may fire first and
// whose error is not the context's.
type noDeadline struct {
	context.Context //nolint:containedctx // it is a context
}

func (noDeadline) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }
