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

// Caller is on whose behalf a call is made: the one whom a server may ask for
// something before it answers.
type Caller struct {
	// Session tells callers apart; calls of one session have equal ones.
	Session any
	// Ask passes on a request of the server's: sampling/createMessage,
	// elicitation/create or roots/list. nil refuses. It returns when ctx ends.
	Ask func(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error)
}

// Errors for a server that asks something which nobody can answer.
var (
	errNobodyCalls = errors.New("no client is calling this server, so nobody can be asked")
	errManyCall    = errors.New("several clients are calling this server at once, and the request does not tell which of them it is for; their calls come one after another from now on")
	errCannotAsk   = errors.New("the client that is calling this server cannot be asked")
)

// callers are the calls under way on one connection. A server's request does
// not name the call that it belongs to, except where the transport does.
type callers struct {
	server string
	clean  clean.Cleaner
	// life is the connection's.
	life context.Context //nolint:containedctx // it bounds what is asked

	// mu guards what follows.
	mu    sync.Mutex
	calls map[*countdown]*Caller
	// asks: the server has asked something without saying of which call. From then on
	// calls of different sessions are made one after another.
	asks bool
	// turns counts the calls of tools under way of each session; one without a caller
	// is of the session nil. waiting are those that wait for other sessions'.
	turns   map[any]int
	waiting []*turn
}

// turn is a call that waits; come is closed when it is made.
type turn struct {
	session any
	come    chan struct{}
}

// turn waits until a call may be made, which waits, unless it is nil, is told of. A
// session's own calls do not wait for each other: what it is asked may have it call
// again. The error is the cause of the end of ctx or of the connection. done ends the
// turn.
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
	done() // its turn has come meanwhile
	return nil, err
}

// letGo makes the calls that need not wait, the first first. The caller holds mu.
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

// join notes a call until leave is called.
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

// hold returns whom a request of the server is for, and keeps that session's
// calls from timing out until resume is called. It fails when that is nobody,
// or cannot be determined.
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

// only returns the caller when there is one session only. The caller holds mu.
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

// callerKey carries the caller in the context of a request.
type callerKey struct{}

// asked answers a request of the server's. It runs on a goroutine of mcp-go's.
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

// ask passes a question of the server's on to who is calling it.
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
	// A connection that ends asks nothing any more.
	ctx, cancel := context.WithCancelCause(ctx)
	defer context.AfterFunc(c.life, func() { cancel(ErrClosing) })()
	answer, err = who.Ask(ctx, c.server, string(method), params)
	if err == nil && !ijson.IsObject(answer) {
		return nil, fmt.Errorf("%s: the client answered something else", method)
	}
	return answer, err
}
