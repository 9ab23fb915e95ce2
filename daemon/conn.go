package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"

	"github.com/winnow-mcp/winnow/daemon/ijson"
	"github.com/winnow-mcp/winnow/protocol"
)

// incoming is a request or notification from the host.
type incoming struct {
	method string
	params json.RawMessage
	// call is false for a notification.
	call bool
}

// handler answers an incoming message. It is called in the order of arrival,
// on the goroutine that reads, and must not block: what may wait is returned
// as a [later]. ctx ends when the host cancels the request or goes away.
type handler func(ctx context.Context, in incoming) (result any, err error)

// later is a result that is still to be worked out. It runs beside later
// messages.
type later func() (any, error)

// conn is the JSON-RPC connection to the host. It is the only user of the
// jsonrpc2 library, and holds what that library leaves to its caller: see the
// comments of handle.
type conn struct {
	rpc     jsonrpc2.Conn
	log     *slog.Logger
	handler handler
	// life ends when the host is gone. It is the parent of every request's
	// context, and lives as long as the connection, which owns it.
	life context.Context //nolint:containedctx // the connection's own lifetime

	// mu guards cancels, which holds the cancel function of each request under
	// way. The key is the request's id as it came.
	mu      sync.Mutex
	cancels map[jsonrpc2.ID]context.CancelFunc

	// broken is why the host's stream could not be read on; nil if it could.
	broken atomic.Pointer[error]
}

// newConn makes a connection over the host's two pipes. It answers nothing
// before run.
func newConn(life context.Context, in io.Reader, out io.Writer, log *slog.Logger, h handler) *conn {
	c := &conn{log: log, handler: h, life: life, cancels: map[jsonrpc2.ID]context.CancelFunc{}}
	writer := &lockedWriter{w: out}
	frames := &frameFilter{
		in: in, check: checkMessage,
		reject: func(code protocol.Code, message string) { c.reject(writer, code, message) },
		broken: func(err error) { c.broken.Store(&err) },
	}
	stream := jsonrpc2.NewStream(&pipes{Reader: frames, Writer: writer})
	c.rpc = jsonrpc2.NewConn(stream, jsonrpc2.WithPreempter(c))
	return c
}

// run starts to read, and returns at once.
func (c *conn) run() {
	// The library must be able to write replies until the end, so it is given
	// a context that is never cancelled; requests get c.life.
	c.rpc.Go(context.WithoutCancel(c.life), c.handle)
}

// done is closed when the connection has ended and every request is answered.
func (c *conn) done() <-chan struct{} { return c.rpc.Done() }

// Preempt sees each message before those that wait in line, so that a cancel
// overtakes. It implements jsonrpc2.Preempter.
func (c *conn) Preempt(_ context.Context, req *jsonrpc2.Request) (any, error) {
	if req.Method() != protocol.MethodCancelRequest {
		return nil, jsonrpc2.ErrNotHandled
	}
	var p protocol.CancelParams
	if err := decode(json.RawMessage(req.Params()), &p); err != nil {
		c.log.Warn("cancel request not understood", "error", err)
		return true, nil
	}
	if id, ok := requestID(p.ID); ok {
		c.cancel(id)
	}
	// The library takes a nil result for "not handled".
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

func (c *conn) cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	cancel := c.cancels[id]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// handle runs on the goroutine that reads. The order matters: the context must
// not be derived from the library's, which is reused after the request; the
// cancel must be known before the next message is read; and the read loop is
// released once, here.
func (c *conn) handle(rctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	ctx, cancel := context.WithCancel(c.life)
	defer cancel()
	if req.IsCall() {
		id := req.ID()
		c.setCancel(id, cancel)
		defer c.setCancel(id, nil)
	}
	// Method and params are borrowed from the frame, and work outlives it.
	in := incoming{
		method: strings.Clone(req.Method()),
		params: slices.Clone(json.RawMessage(req.Params())),
		call:   req.IsCall(),
	}
	result, err = c.guard(in.method, func() (any, error) { return c.handler(ctx, in) })
	if work, ok := result.(later); ok && err == nil {
		jsonrpc2.Async(rctx)
		result, err = c.guard(in.method, work)
	}
	if !req.IsCall() {
		// The library ends the connection over a notification's error.
		if err != nil {
			c.log.Warn("notification failed", "method", in.method, "error", err)
		}
		return nil, nil
	}
	if err != nil {
		return nil, wireError(ctx, err)
	}
	return c.encode(in.method, result)
}

// encode writes a result. Text that is not UTF-8, of whoever's it is, must not
// cost the host the whole of an answer.
func (c *conn) encode(method string, result any) (any, error) {
	raw, err := jsonrpc2.DefaultCodec.Marshal(result)
	if err == nil {
		return jsonrpc2.RawMessage(raw), nil
	}
	c.log.Warn("result mended to be sent", "method", method, "error", err)
	mended, lenient := json.Marshal(result)
	if lenient != nil {
		return nil, err
	}
	if mended, lenient = ijson.Normalize(mended); lenient != nil {
		return nil, err
	}
	return jsonrpc2.RawMessage(mended), nil
}

func (c *conn) setCancel(id jsonrpc2.ID, cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel == nil {
		delete(c.cancels, id)
		return
	}
	c.cancels[id] = cancel
}

// guard turns a panic into an error: one bad request must not end the others.
func (c *conn) guard(method string, f func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("panic", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error in %s: %v", method, p)
		}
	}()
	return f()
}

// call asks the host and waits. When ctx ends the host is told.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	id, err := c.rpc.Call(ctx, method, params, result)
	if err != nil && ctx.Err() != nil && id.IsValid() {
		number, _ := id.Number()
		c.notify(protocol.MethodCancelRequest, protocol.CancelParams{ID: fmt.Appendf(nil, "%d", number)})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// notify tells the host. A host that is gone needs no telling.
func (c *conn) notify(method string, params any) {
	if err := c.rpc.Notify(context.WithoutCancel(c.life), method, params); err != nil &&
		!errors.Is(err, jsonrpc2.ErrClientClosing) {
		c.log.Debug("notification not sent", "method", method, "error", err)
	}
}

// close ends the connection after the requests under way are answered. The
// error says also why the host was not understood any more.
func (c *conn) close() error {
	err := c.rpc.Close()
	if broken := c.broken.Load(); broken != nil {
		err = errors.Join(err, fmt.Errorf("read from the host: %w; send frames of JSON-RPC 2.0 with a Content-Length", *broken))
	}
	return err
}

// reject answers a frame that is no message.
func (c *conn) reject(w io.Writer, code protocol.Code, message string) {
	c.log.Warn("frame rejected", "reason", message)
	response := jsonrpc2.AppendResponse(nil, jsonrpc2.ID{}, nil, &jsonrpc2.Error{
		Code:    jsonrpc2.Code(code),
		Message: message,
		Data:    mustMarshal(protocol.ErrorData{Kind: protocol.KindInvalidParams, Next: "Send one JSON-RPC 2.0 object in each frame."}),
	})
	if _, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(response), response); err != nil {
		c.log.Debug("rejection not sent", "error", err)
	}
}

// checkMessage returns the body of a frame as I-JSON, or what is wrong with it:
// what is no message that the library reads ends the connection.
func checkMessage(body []byte) ([]byte, error) {
	body, err := ijson.Normalize(body)
	if err != nil {
		return nil, &frameError{protocol.CodeParseError, "the frame does not hold JSON: " + err.Error()}
	}
	if _, err := jsonrpc2.DecodeMessage(body); err != nil {
		return nil, &frameError{protocol.CodeInvalidRequest, "the frame does not hold a JSON-RPC 2.0 message"}
	}
	return body, nil
}

// decode reads params or a result as the connection's codec does: keys are
// case-sensitive, unknown ones are accepted.
func decode(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	return jsonrpc2.DefaultCodec.Unmarshal(raw, v)
}

// wireError is the one place where an error gets its code. ctx is the
// request's.
func wireError(ctx context.Context, err error) error {
	code, data := classify(ctx, err)
	return &jsonrpc2.Error{Code: jsonrpc2.Code(code), Message: strings.ToValidUTF8(err.Error(), "\uFFFD"), Data: mustMarshal(data)}
}

// mustMarshal encodes a value of our own types, which cannot fail. In texts
// that are not UTF-8, U+FFFD stands for what is not. JSON of others must not be
// part of it.
func mustMarshal(v any) jsonrpc2.RawMessage {
	raw, err := jsonrpc2.DefaultCodec.Marshal(v)
	if err != nil {
		raw, err = json.Marshal(v)
	}
	if err != nil {
		panic("daemon: marshal " + fmt.Sprintf("%T", v) + ": " + err.Error())
	}
	return raw
}

// pipes joins the host's two pipes.
type pipes struct {
	io.Reader
	io.Writer
}

// Close does nothing: the pipes belong to the caller of [Server.Run].
func (*pipes) Close() error { return nil }

// lockedWriter lets rejections and the library's own frames share a pipe; each
// writes a frame in one call.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
