package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// Dialer connects to servers by way of mcp-go.
type Dialer struct {
	Log           *slog.Logger
	ClientVersion string
	HostEnv       map[string]string
	Network       Network
	Hooks         Hooks
	// Announced passes on what servers announce.
	Announced func(Announcement)
	// Holder, which may be nil, runs the processes of servers for all daemons.
	Holder *holder.Client
	// Client says to people who uses them.
	Client string
	visits visits
	// running are the children of stdio servers.
	running   process.Running
	sandboxes process.Sandboxes
	// redirects are those that the user has agreed to.
	redirects agreements
}

// SilentError says that an attempt ended without any answer from the server.
type SilentError struct{ Err error }

func (e *SilentError) Error() string { return e.Err.Error() }
func (e *SilentError) Unwrap() error { return e.Err }

// Dial implements [DialFunc]. It goes through the eras of the plan for as long
// as the server refuses them, each time with a fresh process or session: what
// a server does after a message it did not understand is anybody's guess.
func (d *Dialer) Dial(ctx context.Context, a Attempt) (*Handshake, error) {
	cfg, err := resolveInputs(ctx, a.Config, a.Redact, d.Hooks.askInput(a.Redact))
	if err != nil {
		return nil, err
	}
	if err := cfg.validate(); err != nil {
		return nil, &fault.Failure{Permanent: true, Err: err, Next: "Correct the entry in its configuration file."}
	}
	a.Config = cfg
	redirect := a.Redirect
	d.redirects.forget(cfg.Name) // the user may have taken a yes back
	for range maxRedirects {
		if redirect != nil {
			if err := d.redirects.ask(ctx, d.Hooks, cfg.Name, redirect); err != nil {
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
func (d *Dialer) dialOnce(ctx context.Context, a Attempt) (*Handshake, error) {
	cfg := a.Config
	// The user may take any time for the inputs; the server may not.
	ctx, cancel := context.WithTimeout(ctx, cfg.StartTimeout)
	defer cancel()
	plan := eraPlan(cfg.Transport, a.Known, a.Silences)
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
func (d *Dialer) connect(ctx context.Context, a Attempt, era Era) (*Handshake, error) {
	if a.Config.Transport != Stdio {
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
	h.PID = pid
	return h, nil
}

// begin makes the handshake on a new connection, which is closed when that
// fails.
func (d *Dialer) begin(ctx context.Context, a Attempt, c *mcpConn) (*Handshake, error) {
	c.spawn(func() { c.notices.handOn(c.life, d.Announced) })
	h, err := c.handshake(ctx, a.Config)
	if err != nil {
		c.Close(process.PromptGrace(), ctx.Done())
		return nil, err
	}
	return h, nil
}

// handshake starts the transport, agrees on a version and lists the tools.
func (c *mcpConn) handshake(ctx context.Context, cfg Config) (*Handshake, error) {
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
	h := &Handshake{
		Conn: c, Era: c.session.era, Version: c.session.version,
		Info: first.info, Instructions: first.instructions, Capabilities: first.capabilities,
	}
	if h.Listing, err = c.ListTools(ctx); err != nil {
		return nil, c.startError("list tools: ", err, pageTimeout, cfg)
	}
	h.unhide()
	if filter := announces(first.capabilities); h.Era == EraModern && !filter.IsEmpty() {
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
		return errors.New(clean.Shown(c.redact, answered.Message))
	case errors.As(err, &answered):
		return &refusedError{
			err: fmt.Errorf("it refused to begin: %s", clean.Shown(c.redact, answered.Error())),
			sse: refusal.wrongTransport(),
		}
	case errors.As(err, &version):
		return &refusedError{err: fmt.Errorf("it speaks a version of MCP that is not supported: %w", err)}
	case isUnauthorized(err) || errors.As(err, new(*SignInWanted)):
		return err
	case refusal.wrongTransport():
		return &refusedError{err: c.redact.Err(refusal.err()), sse: true}
	case refusal.status != 0:
		return c.redact.Err(refusal.err())
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
		return &fault.Failure{Err: &SilentError{Err: fmt.Errorf("%sit did not answer within %s", step, limit)}, Next: next}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return silent(cfg.StartTimeout)
	case errors.Is(err, errTimeout):
		return silent(min(limit, cfg.StartTimeout))
	}
	if errors.As(err, new(*exitedError)) {
		return &SilentError{Err: err} // which begins with the cause
	}
	if step != "" {
		err = fmt.Errorf("%s%w", step, err)
	}
	return err
}

// Kill ends all children at once, and waits for none.
func (d *Dialer) Kill() { d.running.Kill() }
