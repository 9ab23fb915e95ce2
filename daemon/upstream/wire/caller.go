package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Caller is the client that a call is made for. The server may send it requests before it
// responds.
type Caller struct {
	// Session identifies the client's session. Calls of one session have equal values.
	Session any
	// Ask passes on a request of the server: sampling/createMessage, elicitation/create
	// or roots/list. If nil, requests are refused. It returns when ctx ends.
	Ask func(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error)
}

// Errors for a server request that no client can answer.
var (
	errNobodyCalls = errors.New("no client is calling this server, so nobody can be asked")
	errManyCall    = errors.New("several clients are calling this server at once, and the request does not tell which of them it is for; their calls come one after another from now on")
	errCannotAsk   = errors.New("the client that is calling this server cannot be asked")
)

// callers tracks the calls under way on one connection. Only some transports tell which
// call a server's request belongs to.
type callers struct {
	server string
	clean  clean.Cleaner
	// life is the connection's context.
	life context.Context //nolint:containedctx // it bounds what is asked

	// mu guards what follows.
	mu    sync.Mutex
	calls map[*countdown]*Caller
	// asks: the server has made a request without naming the call. From then on calls of
	// different sessions run one after another.
	asks bool
	// turns counts the tool calls under way of each session; calls without a caller count
	// for the session nil. waiting holds the calls that wait for other sessions.
	turns   map[any]int
	waiting []*turn
}

// turn is a waiting call; come is closed when it may start.
type turn struct {
	session any
	come    chan struct{}
}

// turn waits until a call may start. Calls of one session do not wait for each other,
// because the client may call again while it answers the server. waits, which may be nil,
// is called if the call has to wait. The error is the cause of ctx's end, or
// [ErrClosing]. The caller must call done.
func (c *callers) turn(ctx context.Context, who *Caller, waits func()) (done func(), err error) {
	t := &turn{come: make(chan struct{})}
	if who != nil {
		t.session = who.Session
	}
	c.mu.Lock()
	c.waiting = append(c.waiting, t)
	c.letGo()
	c.mu.Unlock()
	done = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.turns[t.session]--; c.turns[t.session] == 0 {
			delete(c.turns, t.session)
		}
		c.letGo()
	}
	select {
	case <-t.come:
		return done, nil
	default:
	}
	if waits != nil {
		waits()
	}
	select {
	case <-t.come:
		return done, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-c.life.Done():
		err = ErrClosing
	}
	c.mu.Lock()
	if i := slices.Index(c.waiting, t); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
		c.mu.Unlock()
		return nil, err
	}
	c.mu.Unlock()
	done() // it was admitted at the same time
	return nil, err
}

// letGo admits the calls that need not wait, in order. Callers must hold mu.
func (c *callers) letGo() {
	c.waiting = slices.DeleteFunc(c.waiting, func(t *turn) bool {
		if c.asks && len(c.turns) > 0 && c.turns[t.session] == 0 {
			return false
		}
		if c.turns == nil {
			c.turns = map[any]int{}
		}
		c.turns[t.session]++
		close(t.come)
		return true
	})
}

// join registers a call until leave is called.
func (c *callers) join(p *countdown, who *Caller) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[*countdown]*Caller{}
	}
	c.calls[p] = who
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, p)
	}
}

// sessions returns the sessions that have calls under way.
func (c *callers) sessions() []any {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[any]bool{}
	var all []any
	for _, who := range c.calls {
		if who != nil && !seen[who.Session] {
			seen[who.Session] = true
			all = append(all, who.Session)
		}
	}
	return all
}

// hold returns the caller that a server's request is for, and stops the timeouts of its
// session's calls until resume is called. It fails if no caller can be determined, or if
// the caller cannot be asked.
func (c *callers) hold(ctx context.Context) (who *Caller, resume func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who, exact := ctx.Value(callerKey{}).(*Caller)
	if !exact {
		who, err = c.only()
		c.asks = c.asks || !errors.Is(err, errNobodyCalls)
		if err != nil {
			return nil, nil, err
		}
	}
	if who == nil || who.Ask == nil {
		return nil, nil, errCannotAsk
	}
	var held []*countdown
	for p, other := range c.calls {
		if other != nil && other.Session == who.Session {
			p.pause()
			held = append(held, p)
		}
	}
	return who, func() {
		for _, p := range held {
			p.resume()
		}
	}, nil
}

// only returns the caller if all calls belong to one session. Callers must hold mu.
func (c *callers) only() (who *Caller, err error) {
	err = errNobodyCalls
	for _, other := range c.calls {
		switch {
		case err == nil && (other == nil || who == nil || other.Session != who.Session):
			return nil, errManyCall
		default:
			who, err = other, nil
		}
	}
	return who, err
}

// callerKey is the context key of a request's [Caller].
type callerKey struct{}

// asked responds to a request of the server. It runs on a goroutine of mcp-go.
func (c *callers) asked(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if r.Method == string(mcp.MethodPing) {
		return transport.NewJSONRPCResultResponse(r.ID, json.RawMessage(`{}`)), nil
	}
	params, err := json.Marshal(r.Params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Method, err)
	}
	ctx, cancel := patient(ctx)
	defer cancel()
	answer, err := c.ask(ctx, mcp.MCPMethod(r.Method), params)
	if err != nil {
		return nil, err
	}
	return transport.NewJSONRPCResultResponse(r.ID, answer), nil
}

// ask passes a server's request to its caller and returns the response.
func (c *callers) ask(ctx context.Context, method mcp.MCPMethod, params json.RawMessage) (answer json.RawMessage, err error) {
	defer fault.Recovered(func(p error) { err = p })
	switch method {
	case mcp.MethodSamplingCreateMessage, mcp.MethodElicitationCreate, mcp.MethodListRoots:
	default:
		return nil, fmt.Errorf("a client cannot be asked %q", method)
	}
	if len(params) == 0 || string(params) == "null" {
		params = json.RawMessage(`{}`)
	}
	if method == mcp.MethodElicitationCreate {
		params, err = c.clean.Form(string(method), params)
	} else {
		params = c.clean.Result(string(method), params)
	}
	if err != nil {
		return nil, err
	}
	who, resume, err := c.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer resume()
	// The request is cancelled when the connection ends.
	ctx, cancel := context.WithCancelCause(ctx)
	defer context.AfterFunc(c.life, func() { cancel(ErrClosing) })()
	answer, err = who.Ask(ctx, c.server, string(method), params)
	if err == nil && !ijson.IsObject(answer) {
		return nil, fmt.Errorf("%s: the client answered something else", method)
	}
	return answer, err
}
