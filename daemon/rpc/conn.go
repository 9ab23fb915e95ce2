package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Request is a request or notification from the peer.
type Request struct {
	Method string
	// Params holds the raw params. [Read] decodes them, even if they are not I-JSON.
	Params json.RawMessage
	// Call is false for a notification.
	Call bool
}

// Handler answers a request. It is called in the order of arrival, on the reading
// goroutine, and must not block: return what may wait as a [Deferred]. ctx ends when the
// peer cancels the request or disconnects.
type Handler func(ctx context.Context, r Request) (result any, err error)

// Deferred computes a result later, concurrently with later requests.
type Deferred func() (any, error)

// Options configures a [Conn].
type Options struct {
	Log     *slog.Logger
	Handler Handler
	// Error returns the code and the data of an error. ctx is the context of the failed
	// request.
	Error func(ctx context.Context, err error) (protocol.Code, protocol.ErrorData)
}

// Conn is a connection. It is the only user of the jsonrpc2 library, and does what that
// library leaves to its caller: see the comments of handle.
type Conn struct {
	rpc     jsonrpc2.Conn
	options Options
	// life ends when the peer disconnects. It is the parent of every request's context.
	// The connection owns it.
	life context.Context //nolint:containedctx // the connection's own lifetime

	// mu guards cancels, which holds the cancel function of each running request by its
	// ID.
	mu      sync.Mutex
	cancels map[jsonrpc2.ID]context.CancelFunc

	// broken is the error that ended reading; nil if there was none.
	broken atomic.Pointer[error]
}

// NewConn returns a connection over two pipes, which the caller owns. It reads nothing
// before [Conn.Run]. Its requests end with life.
func NewConn(life context.Context, in io.Reader, out io.Writer, o Options) *Conn {
	c := &Conn{options: o, life: life, cancels: map[jsonrpc2.ID]context.CancelFunc{}}
	writer := &lockedWriter{w: out}
	c.rpc = jsonrpc2.NewConn(&stream{jsonrpc2.NewStream(&pipes{Reader: in, Writer: writer}), frames{
		in:     bufio.NewReader(in),
		reject: func(code protocol.Code, message string) { c.reject(writer, code, message) },
		broken: func(err error) { c.broken.Store(&err) },
	}}, jsonrpc2.WithPreempter(c))
	return c
}

// Run starts reading, and returns at once.
func (c *Conn) Run() {
	// The library must be able to write replies until the end, so it gets a context that
	// is never cancelled; requests get c.life.
	c.rpc.Go(context.WithoutCancel(c.life), c.handle)
}

// Done is closed when the connection has ended and every request is answered.
func (c *Conn) Done() <-chan struct{} { return c.rpc.Done() }

// Preempt handles each message before queued ones, so that a cancel takes effect early.
// It implements jsonrpc2.Preempter.
func (c *Conn) Preempt(_ context.Context, req *jsonrpc2.Request) (any, error) {
	if req.Method() != protocol.MethodCancelRequest {
		return nil, jsonrpc2.ErrNotHandled
	}
	p, err := Read[protocol.CancelParams](json.RawMessage(req.Params()))
	if err != nil {
		c.options.Log.Warn("cancel request not understood", "error", err)
		return true, nil
	}
	if id, ok := requestID(p.ID); ok {
		c.cancel(id)
	}
	// The library interprets a nil result as "not handled".
	return true, nil
}

func requestID(raw json.RawMessage) (jsonrpc2.ID, bool) {
	var number int64
	if json.Unmarshal(raw, &number) == nil {
		return jsonrpc2.NewNumberID(number), true
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return jsonrpc2.NewStringID(text), true
	}
	return jsonrpc2.ID{}, false
}

func (c *Conn) cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	cancel := c.cancels[id]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// handle runs on the reading goroutine. The order matters. The context must not derive
// from the library's, which is reused after the request. The cancel function must be
// registered before the next message is read. The read loop is released once, here.
func (c *Conn) handle(rctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	ctx, cancel := context.WithCancel(c.life)
	defer cancel()
	if req.IsCall() {
		id := req.ID()
		c.setCancel(id, cancel)
		defer c.setCancel(id, nil)
	}
	r := Request{Method: req.Method(), Params: json.RawMessage(req.Params()), Call: req.IsCall()}
	result, err = c.guard(r.Method, func() (any, error) { return c.options.Handler(ctx, r) })
	if work, ok := result.(Deferred); ok && err == nil {
		jsonrpc2.Async(rctx)
		result, err = c.guard(r.Method, work)
	}
	if !req.IsCall() {
		// The library ends the connection over a notification's error.
		if err != nil {
			c.options.Log.Warn("notification failed", "method", r.Method, "error", err)
		}
		return nil, nil
	}
	if err != nil {
		return nil, c.wireError(ctx, err)
	}
	return c.encode(r.Method, result)
}

// encode encodes a result. Invalid UTF-8, whatever its origin, must not lose the whole
// answer.
func (c *Conn) encode(method string, result any) (any, error) {
	raw, err := jsonrpc2.DefaultCodec.Marshal(result)
	if err == nil {
		return jsonrpc2.RawMessage(raw), nil
	}
	c.options.Log.Warn("result mended to be sent", "method", method, "error", err)
	mended, lenient := json.Marshal(result)
	if lenient != nil {
		return nil, err
	}
	if mended, lenient = ijson.Normalize(mended); lenient != nil {
		return nil, err
	}
	return jsonrpc2.RawMessage(mended), nil
}

func (c *Conn) setCancel(id jsonrpc2.ID, cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel == nil {
		delete(c.cancels, id)
		return
	}
	c.cancels[id] = cancel
}

// guard converts a panic into an error, so that one bad request does not end the others.
func (c *Conn) guard(method string, f func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.options.Log.Error("panic", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error in %s: %v", method, p)
		}
	}()
	return f()
}

// Call sends a request and waits. If ctx ends, it cancels the request at the peer.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	id, err := c.rpc.Call(ctx, method, params, result)
	if err != nil && ctx.Err() != nil && id.IsValid() {
		number, _ := id.Number()
		c.Notify(protocol.MethodCancelRequest, protocol.CancelParams{ID: fmt.Appendf(nil, "%d", number)})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Notify sends a notification. It ignores a closed connection.
func (c *Conn) Notify(method string, params any) {
	if err := c.rpc.Notify(context.WithoutCancel(c.life), method, params); err != nil &&
		!errors.Is(err, jsonrpc2.ErrClientClosing) {
		c.options.Log.Debug("notification not sent", "method", method, "error", err)
	}
}

// Close closes the connection after the running requests are answered. The error includes
// why reading ended.
func (c *Conn) Close() error {
	err := c.rpc.Close()
	if broken := c.broken.Load(); broken != nil {
		err = errors.Join(err, fmt.Errorf("read from the host: %w; send frames of JSON-RPC 2.0 with a Content-Length", *broken))
	}
	return err
}

// reject answers an invalid frame.
func (c *Conn) reject(w io.Writer, code protocol.Code, message string) {
	c.options.Log.Warn("frame rejected", "reason", message)
	response := jsonrpc2.AppendResponse(nil, jsonrpc2.ID{}, nil, &jsonrpc2.Error{
		Code:    jsonrpc2.Code(code),
		Message: message,
		Data:    jsonrpc2.RawMessage(codec.Marshal(protocol.ErrorData{Kind: protocol.KindInvalidParams, Next: "Send one JSON-RPC 2.0 object in each frame."})),
	})
	if _, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(response), response); err != nil {
		c.options.Log.Debug("rejection not sent", "error", err)
	}
}

// stream reads the messages of a connection itself and leaves writing to the library,
// which would end the connection at an invalid frame. Such a frame is rejected and
// skipped.
type stream struct {
	jsonrpc2.Stream
	frames frames
}

// Read implements jsonrpc2.Stream. Messages do not share memory.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		body, err := s.frames.next()
		if err != nil {
			return nil, 0, err
		}
		m, _, bad := decode(body)
		if bad == nil {
			return m, int64(len(body)), nil
		}
		s.frames.reject(bad.code, bad.message)
	}
}

// decode returns the message of a frame and its bytes, or the frame's error. It scans a
// long request once: params that are not I-JSON are found and repaired where they are
// decoded ([Read]).
func decode(body []byte) (jsonrpc2.Message, []byte, *frameError) {
	m, err := jsonrpc2.DecodeMessage(body)
	if _, isResponse := m.(*jsonrpc2.Response); err == nil && !isResponse && utf8.Valid(body) && !ijson.TooDeep(body) {
		return m, body, nil
	}
	if body, err = ijson.Normalize(body); err != nil {
		return nil, nil, &frameError{protocol.CodeParseError, "the frame does not hold JSON: " + err.Error()}
	}
	if m, err = jsonrpc2.DecodeMessage(body); err != nil {
		return nil, nil, &frameError{protocol.CodeInvalidRequest, "the frame does not hold a JSON-RPC 2.0 message"}
	}
	return m, body, nil
}

// wireError converts an error with its code. ctx is the request's.
func (c *Conn) wireError(ctx context.Context, err error) error {
	code, data := c.options.Error(ctx, err)
	return &jsonrpc2.Error{Code: jsonrpc2.Code(code), Message: strings.ToValidUTF8(err.Error(), "\uFFFD"), Data: jsonrpc2.RawMessage(codec.Marshal(data))}
}

// pipes joins the two pipes.
type pipes struct {
	io.Reader
	io.Writer
}

// Close does nothing: the pipes belong to the caller of [NewConn].
func (*pipes) Close() error { return nil }

// lockedWriter lets rejections and the library's frames share a pipe; each frame is
// written in one call.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
