package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/winnow-mcp/winnow/daemon/faces/gateway/relay"
	"github.com/winnow-mcp/winnow/daemon/socket"
)

const (
	// rejoinTime is how long an ended daemon may take to return before winnowd runs
	// servers of its own. An editor that reloads its window returns in that time.
	rejoinTime = 3 * time.Second
	rejoinTick = 100 * time.Millisecond
)

// joiner supplies the gateways for the client of a process that joined a daemon.
type joiner struct {
	flags     *mcpFlags
	workspace string
	log       *slog.Logger
	first     relay.Conn
	// alone receives the error of its own servers; nil before they run.
	alone chan error
}

// serveJoined serves the client through the joined daemon, and when that is gone, through
// the next one or servers of its own.
func serveJoined(ctx context.Context, f *mcpFlags, workspace string, log *slog.Logger, first relay.Conn) error {
	j := &joiner{flags: f, workspace: workspace, log: log, first: first}
	r := relay.Relay{Join: j.join, Log: log}
	err := r.Run(ctx, os.Stdin, os.Stdout)
	if j.alone != nil {
		err = errors.Join(err, <-j.alone)
	}
	return err
}

// join implements [relay.Relay]'s Join.
func (j *joiner) join(ctx context.Context, why error) (relay.Gateway, error) {
	if why == nil {
		return relay.Gateway{Conn: j.first, Watched: true}, nil
	}
	if j.alone != nil {
		ended := <-j.alone
		close(j.alone) // it is received again at the end
		return relay.Gateway{}, errors.Join(errors.New("the servers of its own have ended"), ended)
	}
	if errors.Is(why, relay.ErrLost) {
		if c := j.dialNext(ctx); c != nil {
			j.log.Info("joined the next daemon", "workspace", j.workspace)
			return relay.Gateway{Conn: c, Watched: true}, nil
		}
	}
	j.log.Info("going on with servers of its own", "workspace", j.workspace)
	return relay.Gateway{Conn: j.serve(ctx)}, nil
}

// dialNext waits up to rejoinTime for the next daemon; nil if none came.
func (j *joiner) dialNext(ctx context.Context) relay.Conn {
	ctx, cancel := context.WithTimeout(ctx, rejoinTime)
	defer cancel()
	tick := time.NewTicker(rejoinTick)
	defer tick.Stop()
	for {
		if c, err := socket.Dial(socket.Place{}, j.workspace); err == nil {
			return c
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// serve runs servers of its own, and returns a connection to them.
func (j *joiner) serve(ctx context.Context) relay.Conn {
	in, write := io.Pipe()
	read, out := io.Pipe()
	j.alone = make(chan error, 1)
	go func() {
		err := serveAlone(ctx, j.flags, j.workspace, j.log, in, out)
		if err != nil {
			err = fmt.Errorf("with servers of its own: %w", err)
		}
		j.alone <- err
		_ = in.CloseWithError(io.ErrClosedPipe)
		_ = out.Close()
	}()
	return pipes{read, write}
}

// pipes is one side of a connection within the process.
type pipes struct {
	*io.PipeReader
	write *io.PipeWriter
}

// Write implements io.Writer.
func (p pipes) Write(b []byte) (int, error) { return p.write.Write(b) }

// CloseWrite implements [relay.Conn].
func (p pipes) CloseWrite() error { return p.write.Close() }

// Close implements io.Closer.
func (p pipes) Close() error { return errors.Join(p.write.Close(), p.PipeReader.Close()) }
