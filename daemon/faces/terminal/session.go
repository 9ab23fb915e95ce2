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

// Options are common to all commands.
type Options struct {
	// Initialize replaces the params that a host sends: one folder, and whether it is
	// trusted.
	Initialize protocol.InitializeParams
	// Consents are configuration files of other clients whose servers may start.
	Consents []string
	// Timeout bounds the wait for servers.
	Timeout time.Duration
	// ShutdownTime bounds the shutdown of the servers.
	ShutdownTime time.Duration
	Log          *slog.Logger
	// Idle starts no server.
	Idle bool
	// Start starts the servers and waits for them, even if saved data would do.
	Start bool
	// Progress receives which servers are waited for; may be nil.
	Progress io.Writer
	// Shared returns the server processes that clients share.
	Shared func() ([]holder.Process, error)
	// JSON writes one JSON value instead of text.
	JSON bool
	Out  io.Writer
	// Confirm asks about a call that may write. An error prevents the call.
	Confirm func(Confirmation) error
	// Running reports whether a daemon runs that other clients of the workspace join.
	Running func() (bool, error)
}

// session is an engine with the messages that it showed.
type session struct {
	*Options
	engine *engine.Engine
	told   *listener
}

// listener is a host without a user that records messages.
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

// all returns the recorded messages.
func (l *listener) all() []protocol.ShowMessageParams {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.messages)
}

// with opens an engine, starts its servers, calls f, and closes it.
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

// comesUp reports whether a server may become ready by itself. The error of one that
// starts says only that it takes long, as npx does with an empty cache.
func comesUp(s *protocol.ServerInfo) bool {
	switch s.State {
	case protocol.ServerStarting:
		return true
	case protocol.ServerConfigured, protocol.ServerKnown:
		return s.Error == ""
	default:
		return false
	}
}

// await waits until each wanted server is ready or cannot become so, or Timeout is over.
// It returns all servers. If wanted is nil, all are wanted.
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
			return comesUp(&info) && (wanted == nil || wanted(info.Name))
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
				return list.Servers, nil // the states tell the rest
			}
			return nil, ctx.Err()
		}
	}
}

// progressAfter is the delay before progress is written.
const progressAfter = 500 * time.Millisecond

// progress writes which servers are waited for and which are done.
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

// known returns all servers with the data of earlier runs, without waiting. If Start is
// set, it starts them and waits.
func (s *session) known(ctx context.Context) ([]protocol.ServerInfo, error) {
	if s.Start {
		return s.await(ctx, nil)
	}
	return s.await(ctx, func(string) bool { return false })
}

// unknown returns the servers whose tools no earlier run has listed.
func unknown(servers []protocol.ServerInfo) []string {
	var names []string
	for i := range servers {
		if s := &servers[i]; s.State == protocol.ServerConfigured && (s.Cause == nil || s.Cause.Kind == protocol.CauseStart) {
			names = append(names, s.Name)
		}
	}
	return names
}

// printUnknown writes the servers with unknown tools, and how to list them.
func (s *session) printUnknown(servers []protocol.ServerInfo) error {
	p := printer{w: s.Out}
	if names := unknown(servers); len(names) > 0 && !s.Start {
		p.line("\nNot known yet: %s. With -start they are started and listed.", strings.Join(names, ", "))
	}
	return p.err
}

// place formats a file and line; 0 means no line.
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

// plural formats a count.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
