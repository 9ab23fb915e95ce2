package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// dialer connects to servers by way of mcp-go.
type dialer struct {
	opts Options
	// announced passes on what servers announce.
	announced func(Announcement)
	// running are the children of stdio servers.
	running   running
	sandboxes sandboxes
	// redirects are those that the user has agreed to.
	redirects agreements
}

// silentError says that an attempt ended without any answer from the server.
type silentError struct{ err error }

func (e *silentError) Error() string { return e.err.Error() }
func (e *silentError) Unwrap() error { return e.err }

// dial implements [dialFunc]. It goes through the eras of the plan for as long
// as the server refuses them, each time with a fresh process or session: what
// a server does after a message it did not understand is anybody's guess.
func (d *dialer) dial(ctx context.Context, a attempt) (*handshake, error) {
	cfg, err := resolveInputs(ctx, a.cfg, a.redact, d.opts.Hooks.askInput(a.redact))
	if err != nil {
		return nil, err
	}
	if err := cfg.validate(); err != nil {
		return nil, &permanentError{err: err, next: "Correct the entry in its configuration file."}
	}
	a.cfg = cfg
	redirect := a.redirect
	for range maxRedirects {
		if redirect != nil {
			if err := d.redirects.ask(ctx, d.opts.Hooks, cfg.Name, redirect); err != nil {
				return nil, err
			}
		}
		h, err := d.dialOnce(ctx, a)
		if !errors.As(err, &redirect) {
			return h, err
		}
	}
	return nil, redirect
}

// dialOnce makes one attempt to connect, the user's part done.
func (d *dialer) dialOnce(ctx context.Context, a attempt) (*handshake, error) {
	cfg := a.cfg
	// The user may take any time for the inputs; the server may not.
	ctx, cancel := context.WithTimeout(ctx, cfg.StartTimeout)
	defer cancel()
	plan := eraPlan(cfg.Transport, a.known, a.silences)
	var first error
	for i, era := range plan {
		h, err := d.connect(ctx, a, era)
		if err == nil {
			return h, nil
		}
		if first == nil {
			first = err
		}
		if i+1 == len(plan) || !tryNextEra(err, plan[i+1]) {
			return nil, preferred(first, err)
		}
	}
	return nil, first
}

// preferred chooses which of the errors of an attempt to show: the last one,
// unless all eras were refused. The refusal of the first, the likeliest, then
// says most.
func preferred(first, last error) error {
	var refused *refusedError
	if errors.As(last, &refused) {
		return first
	}
	return last
}

// connect makes one connection in one era and lists the server's tools.
func (d *dialer) connect(ctx context.Context, a attempt, era Era) (*handshake, error) {
	if a.cfg.Transport != Stdio {
		return d.connectHTTP(ctx, a, era)
	}
	c, pid, err := d.openStdio(ctx, a, era)
	if err != nil {
		return nil, err
	}
	h, err := d.begin(ctx, a, c)
	if err != nil {
		return nil, err
	}
	h.pid = pid
	return h, nil
}

// begin makes the handshake on a new connection, which is closed when that
// fails.
func (d *dialer) begin(ctx context.Context, a attempt, c *mcpConn) (*handshake, error) {
	c.spawn(func() { c.notices.handOn(c.life, d.announced) })
	h, err := c.handshake(ctx, a.cfg)
	if err != nil {
		c.close(promptGrace(), ctx.Done())
		return nil, err
	}
	return h, nil
}

// handshake starts the transport, agrees on a version and lists the tools.
func (c *mcpConn) handshake(ctx context.Context, cfg Config) (*handshake, error) {
	var first introduction
	_, err := c.do(ctx, cfg.StartTimeout, func(ctx context.Context) (_ json.RawMessage, err error) {
		if err := c.session.transport.Start(c.life); err != nil {
			return nil, err
		}
		first, err = c.session.begin(ctx)
		return nil, err
	}, nil, nil)
	if err != nil {
		return nil, c.initError(err, cfg)
	}
	h := &handshake{
		conn: c, era: c.session.era, version: c.session.version,
		info: first.info, instructions: first.instructions, capabilities: first.capabilities,
	}
	if h.listing, err = c.listTools(ctx); err != nil {
		return nil, c.startError("list tools: ", err, pageTimeout, cfg)
	}
	h.unhide()
	if filter := announces(first.capabilities); h.era == EraModern && !filter.IsEmpty() {
		c.spawn(func() { c.listen(c.life, filter) })
	}
	return h, nil
}

// initError classifies why the first message did not succeed.
func (c *mcpConn) initError(err error, cfg Config) error {
	var refusal failure
	if c.link != nil {
		refusal = c.link.failure()
	}
	var answered *answeredError
	var version mcp.UnsupportedProtocolVersionError
	switch {
	case errors.As(err, &answered) && answered.unreadable():
		// It has answered; another era would not make it legible.
		return errors.New(shown(c.redact, answered.Message))
	case errors.As(err, &answered):
		return &refusedError{
			err: fmt.Errorf("it refused to begin: %s", shown(c.redact, answered.Error())),
			sse: refusal.wrongTransport(),
		}
	case errors.As(err, &version):
		return &refusedError{err: fmt.Errorf("it speaks a version of MCP that is not supported: %w", err)}
	case isUnauthorized(err) || errors.As(err, new(*signInError)):
		return err
	case refusal.wrongTransport():
		return &refusedError{err: c.redact.err(refusal.err()), sse: true}
	case refusal.status != 0:
		return c.redact.err(refusal.err())
	}
	return c.startError("", err, cfg.StartTimeout, cfg)
}

// startError marks the errors by which a server that may speak another era
// shows itself: silence and death. step says what it was asked for, and limit
// how long this request was waited for within the start.
func (c *mcpConn) startError(step string, err error, limit time.Duration, cfg Config) error {
	silent := func(limit time.Duration) error {
		next := "See its log: on its standard output it may write nothing but messages, each on one line."
		if cfg.Transport != Stdio {
			next = "Check that its address is right, and that it is running."
		}
		return &hintError{err: &silentError{err: fmt.Errorf("%sit did not answer within %s", step, limit)}, next: next}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return silent(cfg.StartTimeout)
	case errors.Is(err, errTimeout):
		return silent(min(limit, cfg.StartTimeout))
	}
	if step != "" {
		err = fmt.Errorf("%s%w", step, err)
	}
	if errors.As(err, new(*exitedError)) {
		return &silentError{err: err}
	}
	return err
}
