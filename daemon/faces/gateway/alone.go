package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/protocol"
)

// Alone is a session without a host: the daemon serves one MCP client over two streams,
// with its own servers.
type Alone struct {
	// Initialize replaces the params that a host sends. Its capabilities stay empty,
	// because no user can be asked.
	Initialize protocol.InitializeParams
	// Consents are configuration files of other clients whose servers may start.
	Consents []string
	// In and Out are the client's streams, one JSON-RPC message per line.
	In  io.Reader
	Out io.Writer
}

// ServeAlone serves the client until it closes its side, or ctx ends. Messages to the
// user are logged. It returns within shutdown after that, when all started servers are
// dead with their descendants. It takes engine options, and not an [Engine] as the rest
// of the face, because it opens and closes the engine.
func ServeAlone(ctx context.Context, eo engine.Options, o Options, shutdown time.Duration, a Alone) error {
	life, end := context.WithCancel(ctx)
	defer end()
	e := engine.Open(eo, host.Logging{Log: o.Log}, &a.Initialize)
	f := New(Adapt(e), o)
	f.held = func() []heldServer { return heldServers(e.Workspace.Configuration()) }
	err := f.serveAlone(life, e, &a)
	end()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	// In parallel: a client that hangs must not keep the servers alive.
	closed := make(chan error, 1)
	go func() { closed <- f.Close() }()
	err = errors.Join(err, e.Close(ctx))
	select {
	case ended := <-closed:
		return errors.Join(err, ended)
	case <-ctx.Done():
	}
	select {
	case ended := <-closed: // while the engine, too, took longer than that
		return errors.Join(err, ended)
	default:
		return errors.Join(err, fmt.Errorf("the gateway did not end within %s", shutdown))
	}
}

func (f *Face) serveAlone(ctx context.Context, e *engine.Engine, a *Alone) error {
	if err := e.ConsentBySwitch(a.Consents); err != nil {
		return err
	}
	// The client is served from what is known. Starting a dozen processes at once would
	// slow its first responses.
	var starting sync.WaitGroup
	defer starting.Wait()
	f.startup.servers = make(chan struct{})
	ctx, end := context.WithCancel(ctx)
	defer end()
	starting.Go(func() { f.startServers(ctx, e) })
	return f.ServePipe(ctx, a.In, a.Out)
}

// firstListTime is how long the start of servers waits for the client's first list.
const firstListTime = 100 * time.Millisecond

// startServers starts the servers after the client's first list or firstListTime.
func (f *Face) startServers(ctx context.Context, e *engine.Engine) {
	defer close(f.startup.servers)
	patience := time.NewTimer(firstListTime)
	defer patience.Stop()
	select {
	case <-f.startup.listed:
	case <-patience.C:
	case <-ctx.Done():
		return
	}
	e.Start()
	if e.Settle(ctx) == nil {
		f.logHeld()
	}
}

// heldServer is a server that does not start without a person.
type heldServer struct{ name, file, why, next string }

// heldServers returns the servers that are held for trust or consent, sorted by what to do.
func heldServers(configuration *workspace.Configuration) (held []heldServer) {
	for _, server := range configuration.Servers {
		file := server.Origin.Source.Path
		switch configuration.Hold(server.Name).Kind {
		case protocol.CauseTrust:
			held = append(held, heldServer{server.Name, file, "nobody has said that the workspace is trusted", "Start winnowd mcp with -trust."})
		case protocol.CauseConsent, protocol.CauseRedefined:
			held = append(held, heldServer{server.Name, file, "nobody has agreed to what it starts now", nextConsent(server.Origin.Source.OfWorkspacesOwn())})
		}
	}
	slices.SortStableFunc(held, func(a, b heldServer) int { return strings.Compare(a.next, b.next) })
	return held
}

// logHeld logs which servers are held.
func (f *Face) logHeld() {
	for _, h := range f.held() {
		f.log.Warn("a server does not start: "+h.why, "server", h.name, "file", h.file, "next", h.next)
	}
}

// nextConsent returns the step by which a person consents where no user can be asked.
func nextConsent(ownFile bool) string {
	if ownFile {
		return "Look at what it starts, and start winnowd mcp again with -trust."
	}
	return "Look at what it starts, and start winnowd mcp again with -consent and the file."
}
