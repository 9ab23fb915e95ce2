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

// CallRequest is a call of one tool.
type CallRequest struct {
	Server, Tool string
	// Arguments is a JSON object; empty means {}.
	Arguments json.RawMessage
	// Meta is the `_meta` of the request, without a progress token; may be nil.
	Meta json.RawMessage
	// Caller answers requests that the server makes during the call. If nil, they are
	// refused.
	Caller *Caller
	// Principal is who the call is made for; see [OnBehalf].
	Principal principal.Principal
	// Progress, which may be nil, is called for each progress notification, on the
	// goroutine that called Call.
	Progress func(Progress)
}

// Call runs a tool. It starts a lazy server, and waits for a server that is being
// started. If ctx is cancelled, the server is notified. It returns [UnknownServerError],
// [UnavailableError], [TimeoutError], [RPCError], [CallError] or an error that wraps the
// cause of ctx. A tool's own failure is not an error but a [Result] with IsError set.
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

// Request makes a request and returns the result byte for byte as the server sent it. It
// starts servers and returns errors as [Manager.Call] does.
func (m *Manager) Request(ctx context.Context, r Request) (json.RawMessage, error) {
	return deliver(ctx, m, r.Server, r.Method, nil, func(v *view) (json.RawMessage, error) {
		return v.conn.Request(ctx, v.timeout, r)
	})
}

// watched returns a Caller that records when the server sends the user to a page: a login
// made there may exist in the server's process only.
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

// deliver makes a request on a live connection. If the session had ended, the server has
// not processed the request, and deliver repeats it once. waits, which may be nil, is
// called if deliver has to wait for the server.
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
