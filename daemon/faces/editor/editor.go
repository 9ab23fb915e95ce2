package editor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// killTime is the part of the shutdown time reserved for killing servers.
const killTime = 300 * time.Millisecond

// Gateway is the face for MCP clients, started when a host requests it.
type Gateway interface {
	// Info returns the gateway's address, and starts to listen on the first call.
	Info() (protocol.GatewayInfoResult, error)
	// FollowFolders opens a socket for clients in each folder of the workspace.
	FollowFolders()
	// Close ends the gateway and its clients' sessions.
	Close() error
}

// Options configure a [Session].
type Options struct {
	// Name and Engine's Version are sent to the host.
	Name   string
	Engine engine.Options
	// LogLevel is the lowest level that is logged; logging/setLevel changes it. If nil,
	// the level is fixed.
	LogLevel *slog.LevelVar
	// ShutdownTime bounds the end of the session. After it, hanging servers are killed
	// and unread replies dropped.
	ShutdownTime time.Duration
	// Gateway returns a new gateway for the session's engine.
	Gateway func(*engine.Engine) Gateway
}

// Session is one session with one host.
type Session struct {
	options   Options
	log       *slog.Logger
	conn      *rpc.Conn
	lifecycle lifecycle
	// open opens the session's engine and returns a constructor of its gateway.
	open func(h host.Host, p *protocol.InitializeParams) (e *parts, gateway func() Gateway)
	// quit is closed by exit.
	quit     chan struct{}
	quitOnce sync.Once

	// opening guards the fields below. initialize sets the engine before any other
	// request is admitted.
	opening sync.Mutex
	ended   bool
	parts   *parts
	gateway Gateway
	table   map[string]rpc.Route
}

// ErrNoShutdown is returned by [Session.Run] if the host sent exit without shutdown. LSP
// requires exit code 1 then.
var ErrNoShutdown = errors.New("exit without shutdown")

// New returns a session that is ready to run.
func New(o Options) *Session {
	return &Session{options: o, log: o.Engine.Log, quit: make(chan struct{}), open: o.open}
}

// open opens an engine.
func (o *Options) open(h host.Host, p *protocol.InitializeParams) (*parts, func() Gateway) {
	e := engine.Open(o.Engine, h, p)
	return partsOf(e), func() Gateway { return o.Gateway(e) }
}

// Run serves the host until EOF, exit, or the end of ctx. It returns within
// [Options].ShutdownTime after that, when all started servers are dead with their
// descendants. It does not close in. A read of in, or a write to a host that no longer
// reads, may still be blocked then and ends with the process.
func (s *Session) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancel(ctx)
	defer end()
	received := rpc.NewInbox()
	go received.Pump(in, end)

	s.connect(life, received, out)
	s.conn.Run()
	select {
	case <-life.Done():
	case <-s.quit:
	case <-s.conn.Done():
	}
	end()
	received.Close()
	return s.finish()
}

// connect creates the connection.
func (s *Session) connect(life context.Context, in io.Reader, out io.Writer) {
	s.conn = rpc.NewConn(life, in, out, rpc.Options{Log: s.log, Handler: s.dispatch, Error: classify})
}

// finish closes the gateway, the engine and the connection in parallel, within
// ShutdownTime.
func (s *Session) finish() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.options.ShutdownTime)
	defer cancel()
	s.lifecycle.end()
	e, gateway := s.over()
	// The engine must finish first: it kills the remaining servers when its time ends.
	hurried, cancelHurried := context.WithTimeout(ctx, s.options.ShutdownTime-killTime)
	defer cancelHurried()
	closers := []func() error{s.conn.Close}
	if e != nil {
		closers = append(closers, gateway.Close, func() error { return e.Engine.Close(hurried) })
	}
	done := make(chan error, len(closers))
	for _, f := range closers {
		go func() { done <- f() }()
	}
	var errs []error
	for range closers {
		select {
		case err := <-done:
			errs = append(errs, err)
		case <-ctx.Done():
			return errors.Join(append(errs, fmt.Errorf("shutdown took longer than %s", s.options.ShutdownTime))...)
		}
	}
	if s.lifecycle.exitedEarly() {
		errs = append(errs, ErrNoShutdown)
	}
	return errors.Join(errs...)
}

// over marks the session as ended and returns the open engine, if any.
func (s *Session) over() (*parts, Gateway) {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.ended = true
	return s.parts, s.gateway
}

// adopt sets the engine and the gateway of the session. It fails if the session has
// ended, because nothing would close the engine.
func (s *Session) adopt(e *parts, gateway func() Gateway) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.ended {
		return failure.New(protocol.KindCancelled, "Start a new daemon.", "the session ended during initialize")
	}
	s.parts, s.gateway = e, gateway()
	s.table = s.routes(s.parts, s.gateway)
	return nil
}

// dispatch handles one message. It is an [rpc.Handler].
func (s *Session) dispatch(ctx context.Context, r rpc.Request) (any, error) {
	if err := s.lifecycle.admit(r.Method); err != nil {
		return nil, err
	}
	answer, ok := s.lifecycleRoutes()[r.Method]
	if !ok {
		answer, ok = s.table[r.Method]
	}
	if !ok {
		if !r.Call && len(r.Method) > 1 && r.Method[:2] == "$/" {
			return nil, nil // LSP: a server may ignore these
		}
		return nil, failure.New(protocol.KindMethodNotFound, "See the method table in protocol/methods.go.",
			"there is no method %q", r.Method)
	}
	for _, name := range unknownMembers(r.Method, r.Params) {
		s.log.Warn("a request has a parameter that does not exist; it has no effect", "method", r.Method, "parameter", name)
	}
	if s.parts != nil && r.Method != protocol.MethodExit {
		s.parts.Engine.Start()
	}
	result, err := answer(ctx, r.Params)
	var params *rpc.ParamsError
	if errors.As(err, &params) {
		return nil, fmt.Errorf("%s: %w", r.Method, err) // the method identifies the request in a log
	}
	return result, err
}
