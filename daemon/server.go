package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/arguments"
	"github.com/winnow-mcp/winnow/daemon/conversations"
	"github.com/winnow-mcp/winnow/protocol"
)

// Name is how the daemon calls itself on the wire.
const Name = "winnowd"

// shutdownTime is the default of [Options.ShutdownTime].
const shutdownTime = 1700 * time.Millisecond

// killTime is the part of the shutdown time that is kept for killing servers.
const killTime = 300 * time.Millisecond

// Options configure a [Server].
type Options struct {
	// Version is told to hosts and MCP servers.
	Version string
	// Program is the path of winnowd, which gateway/info tells other clients to
	// start; empty is that of this process.
	Program string
	// Log receives what happens. Nothing that a user typed is logged above
	// debug level. nil discards.
	Log *slog.Logger
	// LogLevel is the lowest level that Log writes, which the host changes by
	// logging/setLevel; nil for one that cannot be changed.
	LogLevel *slog.LevelVar
	// Environ looks up the daemon's own environment; nil is os.LookupEnv.
	Environ func(name string) (string, bool)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// ShutdownTime bounds the end of a session: then hanging servers are killed
	// and replies that nobody reads are given up. 0 is 1.7 s, so that a process
	// ends within two. A test that shares its process with others gives more.
	ShutdownTime time.Duration
	// Quiet is called when servers and files have not changed for some seconds
	// after they had: a good time to tidy up. nil does nothing.
	Quiet func()
}

// Server is one session of winnowd with one host.
type Server struct {
	options Options
	log     *slog.Logger
	conn    *conn
	table   map[string]route
	tasks   *taskStore
	// conversations are those of stateless hosts; set with workspace.
	conversations *conversations.Conversations
	session       session
	// schemas checks the arguments of calls.
	schemas arguments.Validator
	// gates asks servers about messages.
	gates gates
	// face is the gateway, once it was asked for.
	face gatewayFace
	// quit is closed when the host said exit.
	quit     chan struct{}
	quitOnce sync.Once

	// opening guards ended, and workspace against the end of the session.
	opening sync.Mutex
	ended   bool
	// workspace is set by initialize, before any other request is let in.
	workspace *workspace
}

// ErrNoShutdown is returned by [Server.Run] when the host said exit without
// shutdown, which LSP wants to end in exit code 1.
var ErrNoShutdown = errors.New("exit without shutdown")

// New returns a server that is ready to run.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Environ == nil {
		o.Environ = os.LookupEnv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.ShutdownTime == 0 {
		o.ShutdownTime = shutdownTime
	}
	if o.Quiet == nil {
		o.Quiet = func() {}
	}
	s := &Server{options: o, log: o.Log, tasks: newTaskStore(), quit: make(chan struct{})}
	s.table = s.routes()
	return s
}

// Run serves the host until it is gone (EOF), says exit, or ctx ends, and
// returns within two seconds after that ([Options.ShutdownTime]), when every
// server that was started is dead with its descendants. It does not close in; a read that is under
// way then ends with the process, as does a write to a host that reads no more.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancel(ctx)
	defer end()
	received := newInbox()
	go received.pump(in, end)

	s.conn = newConn(life, received, out, s.log, s.dispatch)
	s.conn.run()
	select {
	case <-life.Done():
	case <-s.quit:
	case <-s.conn.done():
	}
	end()
	received.close()
	return s.finish()
}

// finish closes the workspace and the connection side by side, in bounded
// time.
func (s *Server) finish() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.options.ShutdownTime)
	defer cancel()
	s.session.end()
	done := make(chan error, 3)
	go func() { done <- s.face.close() }()
	// The workspace has to be through first: it kills the servers that are
	// left when its time is over.
	hurried, cancelHurried := context.WithTimeout(ctx, s.options.ShutdownTime-killTime)
	defer cancelHurried()
	go func() { done <- s.closeWorkspace(hurried) }()
	go func() { done <- s.conn.close() }()
	var errs []error
	for range cap(done) {
		select {
		case err := <-done:
			errs = append(errs, err)
		case <-ctx.Done():
			return errors.Join(append(errs, fmt.Errorf("shutdown took longer than %s", s.options.ShutdownTime))...)
		}
	}
	if s.session.exitedEarly() {
		errs = append(errs, ErrNoShutdown)
	}
	return errors.Join(errs...)
}

// adopt makes a workspace the session's. It fails when the session has ended
// meanwhile: the workspace would then be closed by nobody.
func (s *Server) adopt(w *workspace) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.ended {
		return fail(protocol.KindCancelled, "Start a new daemon.", "the session ended during initialize")
	}
	s.workspace = w
	s.conversations = s.openConversations(w.paths.storage)
	return nil
}

// closeWorkspace closes the workspace, if there is one, and lets none be
// opened any more.
func (s *Server) closeWorkspace(ctx context.Context) error {
	s.opening.Lock()
	s.ended = true
	w := s.workspace
	s.opening.Unlock()
	if w == nil {
		return nil
	}
	s.conversations.Close()
	return w.close(ctx)
}

// dispatch answers one message. It implements [handler].
func (s *Server) dispatch(ctx context.Context, in incoming) (any, error) {
	if err := s.session.admit(in.method); err != nil {
		return nil, err
	}
	answer, ok := s.table[in.method]
	if !ok {
		if !in.call && len(in.method) > 1 && in.method[:2] == "$/" {
			return nil, nil // LSP: a server may ignore these
		}
		return nil, fail(protocol.KindMethodNotFound, "See the method table in protocol/methods.go.",
			"there is no method %q", in.method)
	}
	if s.workspace != nil && in.method != protocol.MethodExit {
		s.workspace.start()
	}
	return answer(ctx, in.params)
}
