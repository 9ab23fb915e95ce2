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

// killTime is the part of the shutdown time that is kept for killing servers.
const killTime = 300 * time.Millisecond

// Gateway is the face for MCP clients, which a host can ask for.
type Gateway interface {
	// Info says where the gateway is; from then on it listens.
	Info() (protocol.GatewayInfoResult, error)
	// FollowFolders lets clients of the workspace's folders join.
	FollowFolders()
	// Close ends the gateway and its clients' sessions.
	Close() error
}

// Options configure a [Session].
type Options struct {
	// Name and Engine's Version are sent to the host.
	Name   string
	Engine engine.Options
	// LogLevel is the lowest level that the log writes, which the host changes
	// by logging/setLevel; nil for one that cannot be changed.
	LogLevel *slog.LevelVar
	// ShutdownTime bounds the end of the session: then hanging servers are
	// killed and replies that are not read are given up.
	ShutdownTime time.Duration
	// Gateway makes the gateway of the session's engine.
	Gateway func(*engine.Engine) Gateway
}

// Session is one session with one host.
type Session struct {
	options   Options
	log       *slog.Logger
	conn      *rpc.Conn
	lifecycle lifecycle
	// open opens the engine of the session; gateway makes that engine's gateway.
	open func(h host.Host, p *protocol.InitializeParams) (e *parts, gateway func() Gateway)
	// quit is closed when the host said exit.
	quit     chan struct{}
	quitOnce sync.Once

	// opening guards what follows against the end of the session. The engine is
	// set by initialize, before any other request is let in.
	opening sync.Mutex
	ended   bool
	parts   *parts
	gateway Gateway
	table   map[string]rpc.Route
}

// ErrNoShutdown is returned by [Session.Run] when the host said exit without
// shutdown, which LSP wants to end in exit code 1.
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

// Run serves the host until it is gone (EOF), says exit, or ctx ends, and
// returns within [Options].ShutdownTime after that, when every server that was
// started is dead with its descendants. It does not close in; a read that is
// under way then ends with the process, as does a write to a host that reads no
// more.
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

// connect makes the connection.
func (s *Session) connect(life context.Context, in io.Reader, out io.Writer) {
	s.conn = rpc.NewConn(life, in, out, rpc.Options{Log: s.log, Handler: s.dispatch, Error: classify})
}

// finish closes the faces, the engine and the connection side by side, in
// bounded time.
func (s *Session) finish() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.options.ShutdownTime)
	defer cancel()
	s.lifecycle.end()
	e, gateway := s.over()
	// The engine has to be through first: it kills the servers that are left
	// when its time is over.
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

// over lets no engine be opened any more, and returns the one that is open.
func (s *Session) over() (*parts, Gateway) {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.ended = true
	return s.parts, s.gateway
}

// adopt makes an engine and its gateway the session's. It fails when the session
// has ended meanwhile: the engine would then be closed by nobody.
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

// dispatch answers one message. It is an [rpc.Handler].
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
		return nil, fmt.Errorf("%s: %w", r.Method, err) // who reads it in a log has sent many
	}
	return result, err
}
