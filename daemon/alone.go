package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// Alone is a session without a host: the daemon serves one MCP client by its
// two streams, with servers of its own.
type Alone struct {
	// Initialize is what a host would say. Nobody can be asked for anything, so
	// its capabilities stay empty.
	Initialize protocol.InitializeParams
	// Consents are files of other clients whose servers may start.
	Consents []string
	// In and Out are the client's, one JSON-RPC message a line.
	In  io.Reader
	Out io.Writer
}

// RunAlone serves the client until it closes its side, or ctx ends, and returns
// as [Server.Run] does. What a host would show its user is logged.
func (s *Server) RunAlone(ctx context.Context, a Alone) error {
	life, end := context.WithCancel(ctx)
	defer end()
	s.engine = engine.Open(s.engineOptions(), loggingHost{log: s.log}, &a.Initialize)
	err := s.serveAlone(life, &a)
	end()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.ShutdownTime)
	defer cancel()
	return errors.Join(err, s.face.close(), s.engine.Close(ctx))
}

func (s *Server) serveAlone(ctx context.Context, a *Alone) error {
	for _, file := range a.Consents {
		if err := s.engine.Workspace.Consent(file, true); err != nil {
			s.log.Warn("the consent holds for this session only", "error", err)
		}
	}
	server, err := s.startGateway()
	if err != nil {
		return err
	}
	// The client is answered from what is known. To start a dozen processes at
	// the same moment would make it wait for the processor.
	var starting sync.WaitGroup
	defer starting.Wait()
	s.face.starting = make(chan struct{})
	ctx, end := context.WithCancel(ctx)
	defer end()
	starting.Go(func() { s.startServers(ctx) })
	return server.ServePipe(ctx, a.In, a.Out)
}

// firstListTime is how long servers wait for the client's first list.
const firstListTime = 100 * time.Millisecond

// startServers starts the servers when the client has its first list, or takes
// its time.
func (s *Server) startServers(ctx context.Context) {
	defer close(s.face.starting)
	patience := time.NewTimer(firstListTime)
	defer patience.Stop()
	select {
	case <-s.face.firstList():
	case <-patience.C:
	case <-ctx.Done():
		return
	}
	s.engine.Start()
	if s.engine.Settle(ctx) == nil {
		s.logHeld()
	}
}

// loggingHost is a user that cannot be asked anything, and is told by the log.
type loggingHost struct {
	host.None
	log *slog.Logger
}

// ShowMessage implements [host.Host].
func (h loggingHost) ShowMessage(p protocol.ShowMessageParams) {
	level := slog.LevelWarn
	if p.Type == protocol.MessageError {
		level = slog.LevelError
	}
	h.log.Log(context.Background(), level, p.Message,
		"server", p.Server, "setting", p.Setting, "file", p.File, "line", p.Line, "next", p.Next)
}

// logHeld logs what the servers of other clients' files wait for.
func (s *Server) logHeld() {
	for _, server := range s.engine.Workspace.Configuration().Servers {
		switch server.Hold {
		case config.HoldTrust:
			s.log.Warn("a server does not start: nobody has said that the workspace is trusted",
				"server", server.Name, "file", server.Origin.Source.Path, "next", "Start winnowd mcp with -trust.")
		case config.HoldConsent:
			s.log.Warn("a server of another client's file does not start: nobody has agreed",
				"server", server.Name, "file", server.Origin.Source.Path, "next", "Start winnowd mcp with -consent and the file.")
		}
	}
}
