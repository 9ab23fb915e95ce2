package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// CallRequest names a tool and what to call it with.
type CallRequest struct {
	Server, Tool string
	// Arguments is a JSON object; empty means {}.
	Arguments json.RawMessage
	// Meta is the `_meta` of the request without a progress token; may be nil.
	Meta json.RawMessage
	// Caller is whom the server may ask meanwhile; nil is nobody.
	Caller *Caller
	// Principal is on whose behalf the call is made; see [OnBehalf].
	Principal principal.Principal
	// Progress, which may be nil, is called for the progress that the tool
	// reports, on the goroutine that called Call.
	Progress func(Progress)
}

// Call runs a tool. It starts a lazy server, and waits for one that is being
// started. When ctx is cancelled the server is told so. The error is one of
// [UnknownServerError], [UnavailableError], [TimeoutError], [RPCError] and
// [CallError], or wraps the cause of ctx; a tool that fails by its own account
// is no error but a [Result] with IsError.
func (m *Manager) Call(ctx context.Context, r CallRequest) (*Result, error) {
	var waits func()
	if r.Progress != nil {
		waits = func() { r.Progress(Progress{Message: fmt.Sprintf("MCP server %q starts", r.Server)}) }
	}
	caller := r.Caller
	if s := m.find(r.Server); s != nil {
		caller = s.watched(caller)
	}
	return deliver(ctx, m, r.Server, fmt.Sprintf("tool %q", r.Tool), waits, func(v *view) (*Result, error) {
		return v.conn.Call(ctx, wire.ToolCall{
			Tool: r.Tool, Args: r.Arguments, Meta: r.Meta, Caller: caller, Principal: r.Principal, Timeout: v.timeout, Progress: r.Progress,
		})
	})
}

// Request makes a request and returns the result byte for byte as the server
// sent it. Servers are started and errors are as with [Manager.Call].
func (m *Manager) Request(ctx context.Context, r Request) (json.RawMessage, error) {
	return deliver(ctx, m, r.Server, r.Method, nil, func(v *view) (json.RawMessage, error) {
		return v.conn.Request(ctx, v.timeout, r)
	})
}

// watched notes when the server sends the user to a page: what was done there may be
// known to this process alone.
func (i *intent) watched(c *Caller) *Caller {
	if c == nil || c.Ask == nil {
		return c
	}
	return &Caller{Session: c.Session, Ask: func(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
		var form struct {
			Mode string `json:"mode"`
		}
		if method == string(mcp.MethodElicitationCreate) && json.Unmarshal(params, &form) == nil && form.Mode == "url" {
			i.change(func(w *wants) { w.signedIn = true })
		}
		return c.Ask(ctx, server, method, params)
	}}
}

// deliver makes a request on a live connection of a server, and once more when
// the session had ended: the server has not looked at it then. waits, which may be
// nil, is called when it has to wait for the server.
func deliver[T any](ctx context.Context, m *Manager, name, what string, waits func(), request func(v *view) (T, error)) (T, error) {
	var none T
	s, err := m.lookup(name)
	if err != nil {
		return none, err
	}
	defer s.use()()
	for again := false; ; again = true {
		v, err := s.await(ctx, waits)
		if err != nil {
			return none, err
		}
		result, err := request(v)
		if err == nil {
			return result, nil
		}
		if errors.Is(err, wire.ErrSessionEnded) && !again {
			continue
		}
		return none, s.callError(v, what, err)
	}
}

func (m *Manager) lookup(name string) (*server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	if s := m.servers[name]; s != nil {
		if w, _ := s.wanted(); !w.removed {
			return s, nil
		}
	}
	return nil, &UnknownServerError{Server: name}
}

func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func errText(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}
