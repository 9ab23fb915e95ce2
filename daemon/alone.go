package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
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
	silence, hush := io.Pipe() // a host that says nothing
	s.conn = newConn(life, silence, hostLog{s.log}, s.log, s.dispatch)
	s.conn.run()
	err := s.serveAlone(life, &a)
	end()
	return errors.Join(err, hush.Close(), s.finish())
}

func (s *Server) serveAlone(ctx context.Context, a *Alone) error {
	if _, err := s.initialize(ctx, &a.Initialize); err != nil {
		return err
	}
	for _, file := range a.Consents {
		if err := s.workspace.consents.Set(file, true); err != nil {
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
	s.workspace.start()
	if s.workspace.settle(ctx) == nil {
		s.logHeld()
	}
}

// hostLog stands for the host's end of the pipe: it logs what a host would
// show. Each frame comes in one write.
type hostLog struct{ log *slog.Logger }

// Write implements io.Writer.
func (h hostLog) Write(frame []byte) (int, error) {
	_, body, _ := bytes.Cut(frame, []byte("\r\n\r\n"))
	var m struct {
		Method string                     `json:"method"`
		Params protocol.ShowMessageParams `json:"params"`
	}
	if json.Unmarshal(body, &m) != nil || m.Method != protocol.MethodShowMessage {
		return len(frame), nil
	}
	level := slog.LevelWarn
	if m.Params.Type == protocol.MessageError {
		level = slog.LevelError
	}
	p := m.Params
	h.log.Log(context.Background(), level, p.Message,
		"server", p.Server, "setting", p.Setting, "file", p.File, "line", p.Line, "next", p.Next)
	return len(frame), nil
}

// logHeld logs what the servers of other clients' files wait for.
func (s *Server) logHeld() {
	for _, server := range s.workspace.state().config.Servers {
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
