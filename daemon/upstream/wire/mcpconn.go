package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

const (
	// unblockGrace is how long a request may be stuck after its deadline. Only a write to
	// a child that no longer reads is: mcp-go ignores the context there and holds a lock
	// that every other request needs. Such a connection is failed.
	unblockGrace = time.Second
	// causeGrace is how long to wait for the cause of a broken transport: a pipe ends a
	// moment before its process is reaped.
	causeGrace = time.Second
	// pageTimeout bounds one page of tools/list; pingTimeout bounds one ping.
	pageTimeout = 30 * time.Second
	pingTimeout = 10 * time.Second
)

var (
	errTimeout    = errors.New("no answer in time")
	errNotReading = errors.New("it stopped reading its input")
	ErrClosing    = errors.New("it is being stopped")
)

// mcpConn is a [Connection] over a transport of mcp-go.
type mcpConn struct {
	*lifetime
	server string
	// log is the server's log.
	log *clean.Ring
	// clean removes credentials and hidden text from what the server sends.
	clean clean.Cleaner
	// session makes the requests.
	session *session
	// link is the HTTP side; nil for stdio.
	link *link
	// authorized is set if requests carry a token.
	authorized bool
	// shut closes the transport: gently within the grace, then by force.
	shut func(g process.Grace, hurry <-chan struct{})

	// callers answer the server's requests; notices handles its notifications.
	callers *callers
	notices *notices
	// streams are the open subscriptions of 2026-07-28.
	streams streams
	// listed is [Attempt.Listed].
	listed func(ctx context.Context) ([]Tool, bool, error)
}

func newMCPConn(server string, log *clean.Ring, redact *clean.Redactor) *mcpConn {
	c := &mcpConn{lifetime: newLifetime(redact), server: server, log: log, clean: clean.NewCleaner(log, redact)}
	c.callers = &callers{server: server, clean: c.clean, life: c.life}
	c.notices = newNotices(server, log, c.clean, c.callers, c.Fail)
	return c
}

// use sets the transport and the era of c.
func (c *mcpConn) use(t transport.Interface, era Era, clientVersion string) {
	c.session = newSession(t, era, clientVersion)
	t.SetNotificationHandler(c.notices.receive)
	// mcp-go's SSE transport supports no requests of the server.
	if asks, ok := t.(transport.BidirectionalInterface); ok {
		asks.SetRequestHandler(c.callers.asked)
	}
}

// outcome is the response to one request.
type outcome struct {
	result json.RawMessage
	err    error
}

// do makes one request. It returns when the request is answered, the context or the
// timeout ends, or the connection is lost. Meanwhile it passes what arrives on steps to
// progress.
func (c *mcpConn) do(ctx context.Context, timeout time.Duration, request func(context.Context) (json.RawMessage, error), steps <-chan Progress, progress func(Progress)) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx = withCall(ctx)
	select {
	case <-c.gone: // nothing of it has been sent
		return nil, c.goneErr
	default:
	}
	done := make(chan outcome, 1)
	started := c.spawn(func() {
		// This goroutine outlives a cancelled call: the request may be stuck behind the
		// input of a busy server until its own deadline.
		p := newCountdown(timeout, func() { cancel(errTimeout) }, func() { c.Fail(errNotReading) })
		defer p.end()
		if who, tracked := ctx.Value(callerKey{}).(*Caller); tracked {
			defer c.callers.join(p, who)()
		}
		result, err := request(ctx)
		done <- outcome{result, err}
	})
	if !started {
		return nil, ErrClosing
	}
	for {
		select {
		case o := <-done:
			for len(steps) > 0 {
				progress(<-steps)
			}
			return o.result, c.explain(ctx, o.err)
		case step := <-steps:
			progress(step)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.gone:
			return c.endedUnderWay(ctx, done)
		}
	}
}

// endedUnderWay returns the outcome of a request that was sent before the connection was
// lost. If another request has shown that the session ended, the response to this one may
// still arrive; only it can show that this request was not processed either.
func (c *mcpConn) endedUnderWay(ctx context.Context, done <-chan outcome) (json.RawMessage, error) {
	if !errors.Is(c.goneErr, ErrSessionEnded) {
		return nil, c.goneErr
	}
	timer := time.NewTimer(causeGrace)
	defer timer.Stop()
	select {
	case o := <-done:
		if o.err == nil || errors.Is(o.err, transport.ErrSessionTerminated) || errors.As(o.err, new(*answeredError)) {
			return o.result, c.explain(ctx, o.err)
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
	}
	return nil, ErrEndedUnderWay
}

// ask makes one request.
func (c *mcpConn) ask(ctx context.Context, timeout time.Duration, method mcp.MCPMethod, params json.RawMessage) (json.RawMessage, error) {
	return c.do(ctx, timeout, func(ctx context.Context) (json.RawMessage, error) {
		return c.session.send(ctx, method, params)
	}, nil, nil)
}

// explain maps an error of mcp-go to a more specific one. It fails the connection if the
// error means its end. Error responses of the server stay as they are.
func (c *mcpConn) explain(ctx context.Context, err error) error {
	var redirect *RedirectError
	var permanent *fault.Failure
	var refused *RPCError
	switch {
	case err == nil || errors.As(err, new(*answeredError)):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, transport.ErrTransportClosed):
		timer := time.NewTimer(causeGrace)
		defer timer.Stop()
		select {
		case <-c.gone:
			if errors.Is(c.goneErr, ErrSessionEnded) {
				return ErrEndedUnderWay
			}
			return c.goneErr
		case <-timer.C:
			return c.redact.Err(plain(err))
		}
	case errors.Is(err, transport.ErrSessionTerminated):
		c.Fail(ErrSessionEnded)
		return ErrSessionEnded
	case errors.As(err, &refused):
		return refused
	case isUnauthorized(err):
		refusal := &SignInWanted{Reason: "it asks for a sign-in", Challenge: c.link.lastChallenge()}
		if c.authorized {
			// A new connection refreshes the token or reports that it cannot. Without a
			// token only this request fails: some servers require a sign-in for calls
			// only.
			c.Fail(refusal)
		}
		return refusal
	case errors.As(err, &redirect):
		// The next connection asks the user first.
		c.Fail(redirect)
		return redirect
	case errors.As(err, &permanent) && permanent.Permanent:
		return permanent
	case isUnreachable(err):
		err = c.redact.Err(plain(err))
		c.Fail(err)
		return err
	default:
		return c.redact.Err(plain(err))
	}
}

// plain unwraps an error of mcp-go to the *url.Error in it, whose text is clearer.
func plain(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return request
	}
	return err
}

func (c *mcpConn) Call(ctx context.Context, t ToolCall) (*Result, error) {
	params := map[string]json.RawMessage{"name": codec.Marshal(t.Tool), "arguments": t.Args}
	if len(t.Args) == 0 {
		params["arguments"] = json.RawMessage(`{}`)
	}
	var waits func()
	if t.Progress != nil {
		waits = func() {
			t.Progress(Progress{Message: fmt.Sprintf("MCP server %q answers another client first", c.server)})
		}
	}
	done, err := c.callers.turn(ctx, t.Caller, waits)
	switch {
	case errors.Is(err, ErrClosing):
		return nil, c.Cause() // nothing of it has been sent
	case err != nil:
		return nil, err
	}
	defer done()
	meta := map[string]json.RawMessage{}
	if len(t.Meta) > 0 {
		if err := json.Unmarshal(t.Meta, &meta); err != nil {
			return nil, fmt.Errorf("_meta of the call: %w", err)
		}
	}
	var steps <-chan Progress
	if t.Progress != nil {
		token, ch, stop := c.notices.progress.receive()
		defer stop()
		steps, meta["progressToken"] = ch, codec.Marshal(token)
	}
	if len(meta) > 0 {
		if params["_meta"], err = json.Marshal(meta); err != nil {
			return nil, fmt.Errorf("_meta of the call: %w", err)
		}
	}
	whole, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("arguments of the call: %w", err)
	}
	ctx = context.WithValue(ctx, callerKey{}, t.Caller)
	ctx = context.WithValue(ctx, principalKey{}, t.Principal)
	answer, err := c.do(ctx, t.Timeout, func(ctx context.Context) (json.RawMessage, error) {
		return c.exchange(ctx, mcp.MethodToolsCall, whole)
	}, steps, t.Progress)
	what := fmt.Sprintf("tool %q", t.Tool)
	if err != nil {
		return nil, c.requestError(what, t.Timeout, err)
	}
	return parseResult(c.clean.Result(what, answer))
}

// parseResult accepts any object: some servers omit the content or use kinds of content
// that are not in the specification.
func parseResult(raw json.RawMessage) (*Result, error) {
	var probe struct {
		IsError bool `json:"isError"`
	}
	if json.Unmarshal(raw, &probe) != nil {
		return nil, clean.ErrNotObject
	}
	return &Result{Raw: raw, IsError: probe.IsError}, nil
}

// requestError maps a timeout to a [TimeoutError] and an error response to an [RPCError].
func (c *mcpConn) requestError(what string, timeout time.Duration, err error) error {
	var answered *answeredError
	switch {
	case errors.Is(err, errTimeout):
		return &TimeoutError{Server: c.server, What: what, Timeout: timeout}
	case errors.As(err, &answered):
		return c.rpcError(what, answered)
	}
	return err
}

func (c *mcpConn) rpcError(what string, e *answeredError) error {
	out := &RPCError{Server: c.server, What: what, Code: e.Code, Message: clean.Shown(c.redact, e.Message)}
	if e.Data != nil {
		// It was decoded from JSON, so it can be encoded.
		if data, err := json.Marshal(e.Data); err == nil {
			out.Data = ijson.MapStrings(data, func(_, value string) string { return c.redact.Text(value) })
			if seen, found := hiddentext.Contents(out.Data); found.Any() {
				out.Data = clean.SingleNamed(seen)
			}
		}
	}
	return out
}

func (c *mcpConn) ListTools(ctx context.Context) (l Listing, err error) {
	defer fault.Recovered(func(p error) { err = p })
	if c.listed != nil {
		tools, ok, err := c.listed(ctx)
		if err != nil {
			return Listing{}, err
		}
		if ok {
			return c.take(ctx, tools)
		}
	}
	return collectTools(ctx, c.fetchPage)
}

// take returns the list that another process has read.
func (c *mcpConn) take(ctx context.Context, tools []Tool) (Listing, error) {
	var p page
	for _, tool := range tools {
		p.Tools = append(p.Tools, tool.Raw)
	}
	p.keep(c.session.mirror)
	return collectTools(ctx, func(context.Context, string) (page, error) { return p, nil })
}

// fetchPage requests one page of tools.
func (c *mcpConn) fetchPage(ctx context.Context, cursor string) (page, error) {
	var params json.RawMessage
	if cursor != "" {
		params = codec.Marshal(map[string]string{"cursor": cursor})
	}
	answer, err := c.ask(ctx, pageTimeout, mcp.MethodToolsList, params)
	var answered *answeredError
	switch {
	case errors.As(err, &answered) && answered.Code == mcp.METHOD_NOT_FOUND:
		// A server without tools may lack the method.
		return page{}, nil
	case errors.As(err, &answered):
		return page{}, c.rpcError(string(mcp.MethodToolsList), answered)
	case err != nil:
		return page{}, err
	}
	p, err := parsePage(answer)
	if err != nil {
		return page{}, err
	}
	p.keep(c.session.mirror)
	return p, nil
}

// NeedsPing implements [Connection]. Servers of 2026-07-28 have no ping, and the exit of
// a child is noticed.
func (c *mcpConn) NeedsPing() bool { return c.link != nil && c.session.era != EraModern }

func (c *mcpConn) Ping(ctx context.Context) error {
	_, err := c.ask(ctx, pingTimeout, mcp.MethodPing, nil)
	switch {
	case errors.As(err, new(*answeredError)):
		// An error answer is an answer.
		return nil
	case errors.Is(err, errTimeout):
		return fmt.Errorf("it did not answer a ping within %s", pingTimeout)
	}
	return err
}

func (c *mcpConn) Changed() <-chan struct{} { return c.notices.toolsChanged }

func (c *mcpConn) Close(g process.Grace, hurry <-chan struct{}) {
	c.Fail(ErrClosing)
	c.shut(g, hurry)
	c.wait()
	if c.session != nil {
		c.session.background.Wait()
	}
}
