package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// openStdio starts the child of a stdio server and opens a connection over its pipes. The
// caller must close the connection, which ends the child.
func (d *Dialer) openStdio(ctx context.Context, a Attempt, era Era) (*mcpConn, int, error) {
	env := process.Environment(d.HostEnv, a.Config.Env)
	if err := checkCwd(a.Config.Cwd); err != nil {
		return nil, 0, err
	}
	if a.Config.Absent {
		return nil, 0, startHint(fmt.Errorf("%q: %w", a.Config.Command, exec.ErrNotFound), a.Config.Command)
	}
	cmd, err := process.NewCommand(a.Config.Command, a.Config.Args, a.Config.Cwd, env)
	if err != nil {
		return nil, 0, startHint(err, a.Config.Command)
	}
	if a.Config.Sharing.Dir != "" {
		cmd.Dir = a.Config.Sharing.Dir
	}
	if a.Config.Sandbox != nil {
		if cmd, err = d.sandboxes.Command(ctx, cmd, a.Config.Sandbox); err != nil {
			return nil, 0, err
		}
	}
	if d.shares(a.Config.Sharing) {
		c, pid, err := d.visit(ctx, cmd, a, era)
		if err == nil {
			return c, pid, nil
		}
		if ctx.Err() != nil {
			return nil, 0, err
		}
		d.Log.Warn("a server runs for this process alone", "server", a.Config.Name, "error", a.Redact.Err(err))
	}
	p, err := process.Start(cmd, a.Log)
	if err != nil {
		return nil, 0, startHint(a.Redact.Err(err), a.Config.Command)
	}
	d.running.Add(p)
	if a.Started != nil {
		a.Started(p.PID())
	}
	c := newMCPConn(a.Config.Name, a.Log, a.Redact)
	in := newFrames(p.Stdout, a.Config.MaxMessageBytes, a.Log)
	t := transport.NewIO(in, childInput{p.Stdin, p.CloseStdin, in.pending}, nil)
	c.use(t, era, d.ClientVersion)
	c.shut = func(g process.Grace, hurry <-chan struct{}) {
		// The transport is closed last: its reader drains the output that a child must
		// still write before it can exit.
		p.Stop(g, hurry)
		d.running.Remove(p)
		_ = t.Close()
	}
	c.spawn(func() { watchChild(p, in, a.Log, c) })
	return c, p.PID(), nil
}

// childInput is the write end for mcp-go. Its Close does not close the pipe a second
// time.
type childInput struct {
	io.Writer
	end     func()
	pending *pending
}

// Write reports a broken pipe as ErrTransportClosed on every system: the child is gone.
// mcp-go writes each message in one call.
func (i childInput) Write(b []byte) (int, error) {
	i.pending.sent(b)
	n, err := i.Writer.Write(b)
	if err != nil {
		err = fmt.Errorf("%w: %w", transport.ErrTransportClosed, err)
	}
	return n, err
}

func (i childInput) Close() error {
	i.end()
	return nil
}

// watchChild ends the connection when the child exits or closes its output.
func watchChild(p *process.Process, in *frames, log *clean.Ring, c *mcpConn) {
	select {
	case <-p.Exited:
	case <-in.ended:
	}
	// Both usually happen together. The last responses may still be in the pipe after the
	// exit, and the exit code may not be known yet when the pipe is closed.
	timer := time.NewTimer(2 * process.DrainTime)
	defer timer.Stop()
	gone, ended := p.Gone, in.ended
	for gone != nil || ended != nil {
		select {
		case <-gone:
			gone = nil
		case <-ended:
			ended = nil
		case <-timer.C:
			gone, ended = nil, nil
		}
	}
	select {
	case <-p.Exited:
		c.Fail(deathError(p.ExitCause(), log, c.redact))
	default:
		c.Fail(&exitedError{text: "it closed its output"})
	}
}

// checkCwd returns an error if the child's folder does not exist. The system would blame
// the program.
func checkCwd(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return &fault.Failure{Err: fmt.Errorf("start in its folder: %w", err), Next: `Correct "cwd".`}
	}
	return nil
}

// startHint adds the user's next step to the error of a program that cannot be started.
func startHint(err error, command string) error {
	if errors.Is(err, exec.ErrNotFound) {
		if strings.ContainsAny(command, `/\`) {
			return &fault.Failure{Err: fmt.Errorf("there is no program %q", command), Next: `Correct "command".`}
		}
		return &fault.Failure{Err: err, Next: fmt.Sprintf("Install %q, or give its full path as \"command\".", command)}
	}
	return fmt.Errorf("start %q: %w", command, err)
}
