package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/protocol"
)

// Options say what to work on, and how to write.
type Options struct {
	// Initialize is what a host would say: one folder, and whether it is
	// trusted.
	Initialize protocol.InitializeParams
	// Consents are files of other clients whose servers may start.
	Consents []string
	// Timeout is how long servers may take to come up.
	Timeout time.Duration
	// ShutdownTime bounds the end of the servers.
	ShutdownTime time.Duration
	Log          *slog.Logger
	// Idle starts no server.
	Idle bool
	// Start starts the servers and waits for them, where what is known of them
	// would do.
	Start bool
	// Progress receives what servers are waited for; nil for nothing.
	Progress io.Writer
	// Shared returns the processes of servers that clients share.
	Shared func() ([]holder.Process, error)
	// JSON asks for one JSON value in place of text.
	JSON bool
	Out  io.Writer
	// Confirm asks about a call that may write; the error says why it is not
	// made.
	Confirm func(Confirmation) error
	// Running reports whether a daemon of the workspace is running that clients
	// join.
	Running func() (bool, error)
}

// session is an engine with what it showed its user.
type session struct {
	*Options
	engine *engine.Engine
	told   *listener
}

// listener is a host that cannot be asked anything and remembers what it was
// told.
type listener struct {
	host.None
	mu       sync.Mutex
	messages []protocol.ShowMessageParams
}

// ShowMessage implements [host.Host].
func (l *listener) ShowMessage(p protocol.ShowMessageParams) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = append(l.messages, p)
}

// all returns what was shown so far.
func (l *listener) all() []protocol.ShowMessageParams {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.messages)
}

// with opens an engine whose files are read and whose servers are about to
// start, lets f work with it, and ends it.
func with(ctx context.Context, eo engine.Options, o *Options, f func(ctx context.Context, s *session) error) error {
	told := &listener{}
	s := &session{Options: o, told: told, engine: engine.Open(eo, told, &o.Initialize)}
	err := s.start(ctx)
	if err == nil {
		err = f(ctx, s)
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.ShutdownTime)
	defer cancel()
	return errors.Join(err, s.engine.Close(end))
}

func (s *session) start(ctx context.Context) error {
	if err := s.engine.ConsentBySwitch(s.Consents); err != nil {
		return err
	}
	if !s.Idle {
		s.engine.Start()
	}
	return s.engine.Settle(ctx)
}

// comingUp are the states of a server that may still become ready by itself.
var comingUp = []protocol.ServerState{protocol.ServerConfigured, protocol.ServerKnown, protocol.ServerStarting}

// await waits until the servers that wanted names are up or will not be, or the
// time is over, and returns all servers; nil wants them all.
func (s *session) await(ctx context.Context, wanted func(server string) bool) ([]protocol.ServerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	progress := progress{out: s.Progress, began: time.Now(), waiting: map[string]bool{}}
	for {
		changed := s.engine.Changes.Wait()
		list, err := s.engine.Catalog.List(&protocol.CatalogListParams{ServersOnly: true})
		if err != nil {
			return nil, err
		}
		waits := func(info protocol.ServerInfo) bool {
			return slices.Contains(comingUp, info.State) && info.Error == "" && (wanted == nil || wanted(info.Name))
		}
		progress.show(list.Servers, waits)
		if !slices.ContainsFunc(list.Servers, waits) {
			return list.Servers, nil
		}
		select {
		case <-changed:
		case <-time.After(progressAfter):
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return list.Servers, nil // each says what it is doing
			}
			return nil, ctx.Err()
		}
	}
}

// progressAfter is how long servers may take before it is said which are waited for.
const progressAfter = 500 * time.Millisecond

// progress says what servers are waited for, and which have come.
type progress struct {
	out     io.Writer
	began   time.Time
	waiting map[string]bool
}

func (p *progress) show(servers []protocol.ServerInfo, waits func(protocol.ServerInfo) bool) {
	after := time.Since(p.began)
	if p.out == nil || after < progressAfter {
		return
	}
	for i := range servers {
		switch s := &servers[i]; {
		case waits(*s) && !p.waiting[s.Name]:
			p.waiting[s.Name] = true
			fmt.Fprintf(p.out, "%s is starting …\n", s.Name)
		case !waits(*s) && p.waiting[s.Name]:
			delete(p.waiting, s.Name)
			fmt.Fprintf(p.out, "%s is %s after %.1f s\n", s.Name, s.State, after.Seconds())
		}
	}
}

// known waits for nothing, and returns all servers as earlier runs have left them;
// with Start it starts them first, and waits for them.
func (s *session) known(ctx context.Context) ([]protocol.ServerInfo, error) {
	if s.Start {
		return s.await(ctx, nil)
	}
	return s.await(ctx, func(string) bool { return false })
}

// unknown names the servers whose tools no earlier run has listed.
func unknown(servers []protocol.ServerInfo) []string {
	var names []string
	for i := range servers {
		if s := &servers[i]; s.State == protocol.ServerConfigured && (s.Cause == nil || s.Cause.Kind == protocol.CauseStart) {
			names = append(names, s.Name)
		}
	}
	return names
}

// printUnknown says whose tools are not known, and how they become so.
func (s *session) printUnknown(servers []protocol.ServerInfo) error {
	p := printer{w: s.Out}
	if names := unknown(servers); len(names) > 0 && !s.Start {
		p.line("\nNot known yet: %s. With -start they are started and listed.", strings.Join(names, ", "))
	}
	return p.err
}

// place writes where something stands.
func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(hiddentext.Printable(fmt.Sprintf(format, args...)), " "))
	}
}

// plural writes a count.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
