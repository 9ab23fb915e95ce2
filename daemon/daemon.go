package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-mcp/winnow/daemon/connect"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/faces/editor"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
	"github.com/winnow-mcp/winnow/daemon/faces/lockfile"
	"github.com/winnow-mcp/winnow/daemon/faces/proxy"
	"github.com/winnow-mcp/winnow/daemon/faces/terminal"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/launcher"
)

// Name is the daemon's name in the protocol.
const Name = "winnowd"

// UpstreamVariable is set in the environment of every server that winnowd starts.
// `winnowd mcp` refuses to run with it.
const UpstreamVariable = workspace.UpstreamVariable

// ShareVariable, set to ShareOff, makes a winnowd run the processes of its servers
// itself, whatever the settings, as in tests that count processes.
const (
	ShareVariable = "WINNOW_SHARE"
	ShareOff      = "off"
)

// shutdownTime is the default of [Options.ShutdownTime].
const shutdownTime = 1700 * time.Millisecond

// Options configures a [Server].
type Options struct {
	// Version is sent to hosts and MCP servers.
	Version string
	// Program is the path of winnowd, which gateway/info gives to other clients; "" means
	// a launcher for this process's program.
	Program string
	// Log receives events. User input is logged at debug level only. Nil discards all.
	Log *slog.Logger
	// LogLevel is the lowest level that Log writes, which the host changes by
	// logging/setLevel; nil if it cannot be changed.
	LogLevel *slog.LevelVar
	// Holder, if not nil, runs the server processes for all daemons.
	Holder *holder.Client
	// Environ looks up the daemon's environment; nil means os.LookupEnv.
	Environ func(name string) (string, bool)
	// Now returns the time; nil means time.Now.
	Now func() time.Time
	// ShutdownTime limits the end of a session. After it, hanging servers are killed and
	// unread replies are dropped. 0 means 1.7 s, so that the process ends within two
	// seconds. A test in a shared process sets more.
	ShutdownTime time.Duration
	// Quiet, if not nil, is called once servers and files have not changed for some
	// seconds after a change, as a time for cleanup.
	Quiet func()
}

// Server is one session of winnowd.
type Server struct{ options Options }

// ErrNoShutdown is returned by [Server.Run] if the host sent exit without shutdown. By
// LSP, the exit code is then 1.
var ErrNoShutdown = editor.ErrNoShutdown

// New returns a server that is ready to run.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Environ == nil {
		o.Environ = os.LookupEnv
	}
	if o.ShutdownTime == 0 {
		o.ShutdownTime = shutdownTime
	}
	return &Server{o}
}

// engineOptions returns the options of the session's engine.
func (s *Server) engineOptions() engine.Options {
	o := s.options
	return engine.Options{Holder: o.Holder, Version: o.Version, Log: o.Log, Environ: o.Environ, Now: o.Now, Quiet: o.Quiet}
}

// Run serves the host until EOF, an exit notification, or the end of ctx. It returns
// within two seconds after that ([Options.ShutdownTime]), when every started server and
// its descendants are dead. It does not close in. A pending read, or a write to a host
// that no longer reads, ends with the process.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return editor.New(editor.Options{
		Name: Name, Engine: s.engineOptions(), LogLevel: s.options.LogLevel, ShutdownTime: s.options.ShutdownTime,
		Gateway: func(e *engine.Engine) editor.Gateway {
			s.followLauncher(e.Workspace.UserDir())
			o := s.gatewayOptions()
			o.Program = func() string { return s.launcher(e.Workspace.UserDir()) }
			return gateway.New(gateway.Adapt(e), o)
		},
	}).Run(ctx, in, out)
}

// Alone is a session without a host.
type Alone = gateway.Alone

// RunAlone serves one MCP client until it closes its side or ctx ends. It returns as
// [Server.Run] does.
func (s *Server) RunAlone(ctx context.Context, a Alone) error {
	return gateway.ServeAlone(ctx, s.engineOptions(), s.gatewayOptions(), s.options.ShutdownTime, a)
}

// Proxy is a session in front of model providers.
type Proxy = proxy.Alone

// ListenProxy opens a [Proxy]'s address, which must be a loopback address.
func ListenProxy(address string) (net.Listener, error) { return proxy.Listen(address) }

// RunProxy serves clients that use it as a model provider until ctx ends. It returns as
// [Server.Run] does.
func (s *Server) RunProxy(ctx context.Context, p Proxy) error {
	return proxy.ServeAlone(ctx, s.engineOptions(), s.options.Log, s.options.ShutdownTime, p)
}

// Lock configures locking and verifying.
type Lock = lockfile.Options

// LockFormats returns the report formats of [Server.Verify].
func LockFormats() []string { return lockfile.Formats }

// UpdateLock rewrites the lock file of a workspace, and returns its path.
func (s *Server) UpdateLock(ctx context.Context, l Lock) (path string, err error) {
	l.Log, l.ShutdownTime = s.options.Log, s.options.ShutdownTime
	return lockfile.Update(ctx, s.engineOptions(), &l)
}

// Capture writes what the servers of a workspace offer to the file that l names.
// [Server.Verify] can read it where the servers cannot be started.
func (s *Server) Capture(ctx context.Context, l Lock) error {
	l.Log, l.ShutdownTime = s.options.Log, s.options.ShutdownTime
	return lockfile.Capture(ctx, s.engineOptions(), &l)
}

// ForgetLock deletes a server from the user's own lock below a storage path.
func ForgetLock(storagePath, server string) error { return lockfile.Forget(storagePath, server) }

// Verify compares the servers of a workspace with its lock file, reports the differences,
// and returns whether there are any.
func (s *Server) Verify(ctx context.Context, l Lock, out io.Writer, format string) (drift bool, err error) {
	l.Log, l.ShutdownTime = s.options.Log, s.options.ShutdownTime
	found, err := lockfile.Verify(ctx, s.engineOptions(), &l)
	if err != nil {
		return false, err
	}
	return len(found) > 0, lockfile.Report(out, format, found)
}

// Terminal configures a command at a terminal.
type Terminal = terminal.Options

// Confirmation is a call to be confirmed by [Terminal].Confirm.
type Confirmation = terminal.Confirmation

// Errors of [Server.CallTool] and [Server.Doctor] whose cause has been written.
var (
	ErrToolFailed = terminal.ErrToolFailed
	ErrProblems   = terminal.ErrProblems
)

// Servers lists the servers; see [terminal.Servers].
func (s *Server) Servers(ctx context.Context, t Terminal, only string, tools bool) error {
	return terminal.Servers(ctx, s.engineOptions(), s.ending(&t), only, tools)
}

// Why explains the tools of a task; see [terminal.Why].
func (s *Server) Why(ctx context.Context, t Terminal, message, tool string) error {
	return terminal.Why(ctx, s.engineOptions(), s.ending(&t), message, tool)
}

// CallTool calls a tool; see [terminal.Call].
func (s *Server) CallTool(ctx context.Context, t Terminal, name string, arguments json.RawMessage) error {
	return terminal.Call(ctx, s.engineOptions(), s.ending(&t), name, arguments)
}

// Approvals lists the user's approvals and revokes some; see [terminal.Approvals].
func (s *Server) Approvals(ctx context.Context, t Terminal, revoke []string) error {
	t.Idle = true
	return terminal.Approvals(ctx, s.engineOptions(), s.ending(&t), revoke)
}

// Doctor reports problems; see [terminal.Doctor].
func (s *Server) Doctor(ctx context.Context, t Terminal) error {
	return terminal.Doctor(ctx, s.engineOptions(), s.ending(&t))
}

// ending sets the time for the end of a session.
func (s *Server) ending(t *Terminal) *Terminal {
	t.ShutdownTime = s.options.ShutdownTime
	return t
}

// gatewayOptions returns the options of the session's gateway.
func (s *Server) gatewayOptions() gateway.Options {
	o := s.options
	return gateway.Options{Version: o.Version, Log: o.Log, Environ: o.Environ}
}

// launcher returns the path of winnowd for the configurations of other clients. It
// survives updates if a launcher can be made.
func (s *Server) launcher(userDir string) string {
	if s.options.Program != "" {
		return s.options.Program
	}
	program, err := launcher.Program()
	if err == nil && userDir != "" {
		var path string
		if path, err = launcher.Ensure(userDir, program); err == nil {
			return path
		}
	}
	if err != nil {
		s.options.Log.Warn("other clients are told a path that may end with the next update", "error", err)
	}
	return cmp.Or(program, Name) // Name is found in the PATH
}

// FollowNPX makes the launcher in a user's folder for Winnow start the program that npx
// has just run. It does so only if there is such a launcher and npx installed the program
// after the launcher's, because npx is how it is updated.
func (s *Server) FollowNPX(userDir string) {
	program, err := launcher.Program()
	if err == nil {
		err = launcher.FollowNPX(userDir, program)
	}
	if err != nil {
		s.options.Log.Warn("other clients may start an earlier winnowd", "error", err)
	}
}

// followLauncher makes an existing launcher start this program, which an update has
// installed.
func (s *Server) followLauncher(userDir string) {
	program, err := launcher.Program()
	if err == nil && userDir != "" && s.options.Program == "" {
		err = launcher.Follow(userDir, program)
	}
	if err != nil {
		s.options.Log.Warn("other clients may start another winnowd", "error", err)
	}
}

// Connector writes Winnow into the configurations of other clients.
type Connector = connect.Connector

// Connect returns a connector for the clients of the user with this folder for Winnow.
func (s *Server) Connect(places connect.Places, userDir string) *Connector {
	program := s.options.Program
	if running, err := launcher.Program(); program == "" && err == nil {
		program = launcher.Find(userDir, running)
	}
	return &Connector{
		Places: places, Program: cmp.Or(program, Name),
		Launcher: func() string { return s.launcher(userDir) },
		Dir:      filepath.Join(userDir, "connections"),
	}
}

// ClearConnections deletes earlier versions' copies of other clients' files, which may
// contain secrets.
func (s *Server) ClearConnections(userDir string) {
	if err := connect.ClearRecords(filepath.Join(userDir, "connections")); err != nil {
		s.options.Log.Warn("copies of other clients' files are left", "error", err)
	}
}

// UndoImports undoes every move of servers in the user's folder for Winnow, on the disk:
// `winnowd undo-imports`.
func UndoImports() error { return workspace.UndoImports() }
