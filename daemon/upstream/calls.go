package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
	return deliver(ctx, m, r.Server, fmt.Sprintf("tool %q", r.Tool), func(v *view) (*Result, error) {
		return v.conn.Call(ctx, wire.ToolCall{
			Tool: r.Tool, Args: r.Arguments, Meta: r.Meta, Caller: r.Caller, Timeout: v.timeout, Progress: r.Progress,
		})
	})
}

// Request makes a request and returns the result byte for byte as the server
// sent it. Servers are started and errors are as with [Manager.Call].
func (m *Manager) Request(ctx context.Context, r Request) (json.RawMessage, error) {
	return deliver(ctx, m, r.Server, r.Method, func(v *view) (json.RawMessage, error) {
		return v.conn.Request(ctx, v.timeout, r)
	})
}

// deliver makes a request on a live connection of a server, and once more when
// the session had ended: the server has not looked at it then.
func deliver[T any](ctx context.Context, m *Manager, name, what string, request func(v *view) (T, error)) (T, error) {
	var none T
	s, err := m.lookup(name)
	if err != nil {
		return none, err
	}
	for again := false; ; again = true {
		v, err := s.await(ctx)
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

// await returns a view of the server with a live connection, starting the
// server if that is all it takes.
func (s *server) await(ctx context.Context) (*view, error) {
	for {
		v := s.seen.Load()
		w, _ := s.wanted()
		switch {
		case v.conn != nil && !over(v.conn.Lost()):
			return v, nil
		case v.conn != nil, v.Status.State == Starting:
		case w.mayRun() && !v.mayRun():
			// It was let go a moment ago, and its goroutine has yet to show that.
			s.demand()
		case v.Available():
			s.demand()
		default:
			return nil, s.unavailable(v, errText(v.Status.Error))
		}
		select {
		case <-v.next:
		case <-s.done:
			return nil, s.unavailable(v, wire.ErrClosing)
		case <-ctx.Done():
			return nil, fmt.Errorf("MCP server %q: waiting for its start: %w", s.name, context.Cause(ctx))
		}
	}
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

func (s *server) unavailable(v *view, cause error) error {
	return &UnavailableError{
		Server: s.name, State: v.Status.State, Cause: cause,
		Next: v.Status.Next, RetryAt: v.Status.RetryAt,
	}
}

// callError names the server in an error of its connection.
func (s *server) callError(v *view, what string, err error) error {
	var refusal *wire.SignInWanted
	switch {
	case errors.As(err, new(*TimeoutError)), errors.As(err, new(*RPCError)):
		return err
	case over(v.conn.Lost()):
		return s.lostError(v.conn.Cause())
	case errors.As(err, &refusal):
		s.noteChallenge(refusal)
		return &UnavailableError{Server: s.name, State: SignedOut, Cause: err, Next: signInNext}
	default:
		return &CallError{Server: s.name, What: what, Cause: err}
	}
}

// lostError is for a call that was under way when the connection ended.
func (s *server) lostError(cause error) error {
	now := s.seen.Load().Status
	e := &UnavailableError{Server: s.name, State: now.State, Cause: cause, Next: now.Next, RetryAt: now.RetryAt}
	if now.State == Ready {
		// The server's own goroutine has not noticed yet.
		e.State = Failed
	}
	if e.Next == "" {
		e.Next = "It is started again."
	}
	return e
}
