package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
)

const (
	// unblockGrace is how long after its deadline a request may still be
	// stuck. Only a write to a child that has stopped reading is: mcp-go does
	// not look at the context there, and holds a lock that every other request
	// needs. Such a child is given up.
	unblockGrace = time.Second
	// causeGrace is how long the cause of a broken transport may take to be
	// known: a pipe ends a moment before its process is reaped.
	causeGrace = time.Second
	// pageTimeout bounds one page of tools/list, pingTimeout one ping.
	pageTimeout = 30 * time.Second
	pingTimeout = 10 * time.Second
	// announcements is how many may wait to be handed on; more are dropped.
	announcements = 256
)

var (
	errTimeout    = errors.New("no answer in time")
	errNotReading = errors.New("it stopped reading its input")
	errClosing    = errors.New("it is being stopped")
	errNotObject  = errors.New("its answer is not the object that MCP prescribes")
)

// mcpConn is a connection by way of mcp-go.
type mcpConn struct {
	server string
	// log is the server's, redact removes its secrets.
	log    *ring
	redact *redactor
	client *client.Client
	tap    *tap
	// link is the HTTP side; nil for stdio.
	link *link
	// authorized is set when requests carry a token.
	authorized bool
	// pings is set for transports that do not notice a dead peer.
	pings bool
	// shut ends the transport: politely within the grace, then by force.
	shut func(g grace, hurry <-chan struct{})

	// life is the context of streams that outlive the attempt to connect.
	life   context.Context //nolint:containedctx // the connection's own lifetime, cancelled by fail
	cancel context.CancelFunc

	change   chan struct{}
	gone     chan struct{}
	goneOnce sync.Once
	goneErr  error

	// callers are those whom the server may ask.
	callers callers
	// told queues what the server announces.
	announced chan Announcement

	// mu guards watchers, the receivers of progress by token, and closed.
	mu       sync.Mutex
	watchers map[string]chan Progress
	closed   bool
	tokens   atomic.Uint64
	// work counts the goroutines of this connection.
	work sync.WaitGroup
}

func newMCPConn(server string, log *ring, redact *redactor) *mcpConn {
	c := &mcpConn{
		server: server, log: log, redact: redact,
		change:    make(chan struct{}, 1),
		announced: make(chan Announcement, announcements),
		gone:      make(chan struct{}),
		watchers:  map[string]chan Progress{},
	}
	c.life, c.cancel = context.WithCancel(context.Background())
	return c
}

// use makes c talk through a transport in the way of the tap's era.
func (c *mcpConn) use(t transport.Interface, tap *tap) {
	tap.notify = t.SendNotification
	c.tap = tap
	c.client = client.NewClient(t,
		client.WithProtocolVersion(tap.era.version()),
		// The attempt's own deadline bounds the whole of it.
		client.WithDiscoverTimeout(-1),
		// Somebody else answers, see caller.go. Without a way to tell servers
		// whose roots they are, changes of them are not announced.
		client.WithClientCapabilities(mcp.ClientCapabilities{Roots: &struct {
			ListChanged bool `json:"listChanged,omitempty"`
		}{}}),
		client.WithSamplingHandler(relay{c}), client.WithElicitationHandler(relay{c}), client.WithRootsHandler(relay{c}))
	c.client.OnNotification(c.notified)
}

// spawn runs f as a goroutine of this connection, unless it is closed. A panic
// over what the server sent ends the connection, and nothing else.
func (c *mcpConn) spawn(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.work.Go(func() {
			defer recovered(c.fail)
			f()
		})
	}
	return !c.closed
}

// outcome is the answer to one request.
type outcome struct {
	capture
	err error
}

// do makes one request and returns when it is answered, the context or the
// timeout ends, or the connection is lost. What arrives on steps meanwhile is
// handed to progress.
func (c *mcpConn) do(ctx context.Context, timeout time.Duration, request func(context.Context) error, steps <-chan Progress, progress func(Progress)) (capture, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx = withCall(ctx)
	done := make(chan outcome, 1)
	started := c.spawn(func() {
		// It outlives a caller that cancels: the request may be stuck behind a
		// busy server's input until its own deadline.
		p := newCountdown(timeout, func() { cancel(errTimeout) }, func() { c.fail(errNotReading) })
		defer p.end()
		if who, tracked := ctx.Value(callerKey{}).(*Caller); tracked {
			defer c.callers.join(p, who)()
		}
		var o outcome
		o.err = request(withCapture(ctx, &o.capture))
		done <- o
	})
	if !started {
		return capture{}, errClosing
	}
	for {
		select {
		case o := <-done:
			for len(steps) > 0 {
				progress(<-steps)
			}
			return o.capture, c.explain(ctx, o.err)
		case step := <-steps:
			progress(step)
		case <-ctx.Done():
			return capture{}, context.Cause(ctx)
		case <-c.gone:
			return capture{}, c.goneErr
		}
	}
}

// explain turns an error of mcp-go into one that says more. An error that
// means the end of the connection ends it.
func (c *mcpConn) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, transport.ErrTransportClosed):
		timer := time.NewTimer(causeGrace)
		defer timer.Stop()
		select {
		case <-c.gone:
			return c.goneErr
		case <-timer.C:
			return c.redact.err(plain(err))
		}
	case errors.Is(err, transport.ErrSessionTerminated):
		c.fail(errSessionEnded)
		return errSessionEnded
	case isUnauthorized(err):
		refusal := &signInError{reason: "it asks for a sign-in", challenge: c.link.lastChallenge()}
		if c.authorized {
			// A new connection will renew the token, or find that it cannot.
			// Without a token only this request is refused: some servers ask
			// for a sign-in when a tool is called, and not before.
			c.fail(refusal)
		}
		return refusal
	case isUnreachable(err):
		err = c.redact.err(plain(err))
		c.fail(err)
		return err
	default:
		return c.redact.err(plain(err))
	}
}

// plain takes mcp-go's own words off an error where what they wrap says it
// better.
func plain(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return request
	}
	var outer *transport.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}

func (c *mcpConn) call(ctx context.Context, t toolCall) (*Result, error) {
	params := mcp.CallToolParams{Name: t.tool, Arguments: t.args}
	if len(t.args) == 0 {
		params.Arguments = struct{}{}
	}
	if len(t.meta) > 0 {
		params.Meta = &mcp.Meta{}
		if err := json.Unmarshal(t.meta, params.Meta); err != nil {
			return nil, fmt.Errorf("_meta of the call: %w", err)
		}
	}
	var steps <-chan Progress
	if t.progress != nil {
		token, ch, stop := c.watch()
		defer stop()
		steps = ch
		if params.Meta == nil {
			params.Meta = &mcp.Meta{}
		}
		params.Meta.ProgressToken = token
	}
	ctx = context.WithValue(ctx, callerKey{}, t.caller)
	answer, err := c.do(ctx, t.timeout, func(ctx context.Context) error {
		_, err := c.client.CallTool(ctx, mcp.CallToolRequest{Params: params})
		return err
	}, steps, t.progress)
	what := fmt.Sprintf("tool %q", t.tool)
	switch {
	case errors.Is(err, errTimeout):
		return nil, &TimeoutError{Server: c.server, What: what, Timeout: t.timeout}
	case answer.err != nil:
		return nil, c.rpcError(what, answer.err)
	case answer.result == nil && err != nil:
		return nil, err
	}
	return parseResult(c.unhideResult(what, answer.result), err)
}

// parseResult accepts what a server answered, also when mcp-go does not: some
// leave out the content or use kinds of content that are not in the
// specification. err is what mcp-go said.
func parseResult(raw json.RawMessage, err error) (*Result, error) {
	var probe struct {
		IsError    bool   `json:"isError"`
		ResultType string `json:"resultType"`
	}
	if json.Unmarshal(raw, &probe) != nil {
		return nil, errNotObject
	}
	if err != nil && mcp.ResultType(probe.ResultType) == mcp.ResultTypeInputRequired {
		return nil, fmt.Errorf("the tool asks for input in the middle of a call, and nobody gave it: %w", err)
	}
	return &Result{Raw: raw, IsError: probe.IsError}, nil
}

func (c *mcpConn) rpcError(what string, e *mcp.JSONRPCErrorDetails) error {
	out := &RPCError{Server: c.server, What: what, Code: e.Code, Message: shown(c.redact, e.Message)}
	if e.Data != nil {
		// It came from JSON, so it can be written as JSON.
		if data, err := json.Marshal(e.Data); err == nil {
			out.Data = json.RawMessage(c.redact.text(string(data)))
			if clean, found := hiddentext.Contents(out.Data); found.Any() {
				out.Data = singleNamed(clean)
			}
		}
	}
	return out
}

func (c *mcpConn) listTools(ctx context.Context) (l listing, err error) {
	defer recovered(func(p error) { err = p })
	return collectTools(ctx, c.fetchPage)
}

// fetchPage asks for one page of tools.
func (c *mcpConn) fetchPage(ctx context.Context, cursor string) (page, error) {
	var usable map[string]bool
	answer, err := c.do(ctx, pageTimeout, func(ctx context.Context) error {
		request := mcp.ListToolsRequest{}
		request.Params.Cursor = mcp.Cursor(cursor)
		decoded, err := c.client.ListToolsByPage(ctx, request)
		if err == nil && c.tap.era == EraModern && c.link != nil {
			usable = names(decoded.Tools)
		}
		return err
	}, nil, nil)
	switch {
	case answer.err != nil && answer.err.Code == mcp.METHOD_NOT_FOUND:
		// A server without tools need not know the method.
		return page{}, nil
	case answer.err != nil:
		return page{}, c.rpcError("tools/list", answer.err)
	case answer.result == nil && err != nil:
		return page{}, err
	}
	// mcp-go refuses a whole page for one odd tool; the raw answer decides.
	p, pageErr := parsePage(answer.result)
	if err == nil && usable != nil {
		p.keep(usable)
	}
	return p, pageErr
}

func names(tools []mcp.Tool) map[string]bool {
	set := make(map[string]bool, len(tools))
	for _, tool := range tools {
		set[tool.Name] = true
	}
	return set
}

func (c *mcpConn) needsPing() bool { return c.pings }

func (c *mcpConn) ping(ctx context.Context) error {
	//lint:ignore SA1019 only connections of the older era are pinged
	answer, err := c.do(ctx, pingTimeout, c.client.Ping, nil, nil)
	if answer.err != nil {
		// An error answer is an answer.
		return nil
	}
	if errors.Is(err, errTimeout) {
		return fmt.Errorf("it did not answer a ping within %s", pingTimeout)
	}
	return err
}

func (c *mcpConn) changed() <-chan struct{} { return c.change }
func (c *mcpConn) lost() <-chan struct{}    { return c.gone }

func (c *mcpConn) cause() error {
	<-c.gone
	return c.goneErr
}

func (c *mcpConn) fail(err error) {
	c.goneOnce.Do(func() {
		c.goneErr = c.redact.err(err)
		close(c.gone)
		c.cancel()
	})
}

func (c *mcpConn) close(g grace, hurry <-chan struct{}) {
	c.fail(errClosing)
	c.shut(g, hurry)
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.work.Wait()
	if c.tap != nil {
		c.tap.background.Wait()
	}
}
