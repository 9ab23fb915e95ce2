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
	// Announced passes on an announcement of a server.
	Announced func(Announcement)
	// Holder runs the processes of servers for all daemons. It may be nil.
	Holder *holder.Client
	// Client is the name by which Holder's list of processes shows this client.
	Client string
	visits visits
	// running holds the children of stdio servers.
	running   process.Running
	sandboxes process.Sandboxes
	// redirects are the redirects that the user has agreed to.
	redirects agreements
}

// SilentError means that an attempt ended without any response from the server.
type SilentError struct{ Err error }

func (e *SilentError) Error() string { return e.Err.Error() }
func (e *SilentError) Unwrap() error { return e.Err }

// Dial implements [DialFunc]. It tries the eras of the plan as long as the server refuses
// them. Each try has a new process or session, because a server's state after an unknown
// message is undefined.
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
	d.redirects.forget(cfg.Name) // the user may have withdrawn an agreement
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

// dialOnce makes one attempt to connect after the user's questions.
func (d *Dialer) dialOnce(ctx context.Context, a Attempt) (*Handshake, error) {
	cfg := a.Config
	// The inputs may take any time; the server may not.
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

// preferred returns the error of an attempt to show: the last one, unless all eras were
// refused. Then the refusal of the first, most likely era says most.
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

// begin makes the handshake on a new connection, and closes the connection if that fails.
func (d *Dialer) begin(ctx context.Context, a Attempt, c *mcpConn) (*Handshake, error) {
	c.listed = a.Listed
	c.spawn(func() { c.notices.handOn(c.life, d.Announced) })
	h, err := c.handshake(ctx, a.Config)
	if err != nil {
		c.Close(process.PromptGrace(), ctx.Done())
		return nil, err
	}
	return h, nil
}

// handshake starts the transport, negotiates a version and lists the tools.
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

// initError classifies the failure of the first message.
func (c *mcpConn) initError(err error, cfg Config) error {
	var refusal failure
	if c.link != nil {
		refusal = c.link.failure()
	}
	var answered *answeredError
	var version mcp.UnsupportedProtocolVersionError
	switch {
	case errors.As(err, &answered) && answered.unreadable():
		// The server has answered; another era would not change the format.
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

// startError returns a [SilentError] for silence and exit, which a server of another era
// may show. step prefixes the error text. limit is the time limit of the request.
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

// Kill kills all children and does not wait.
func (d *Dialer) Kill() { d.running.Kill() }
