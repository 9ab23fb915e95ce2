package upstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// exitedError is the end of a child that was not asked to end.
type exitedError struct{ text string }

func (e *exitedError) Error() string { return e.text }

// openStdio starts the child of a stdio server and a connection over its
// pipes. The caller closes the connection, which ends the child.
func (d *dialer) openStdio(ctx context.Context, a attempt, era Era) (*mcpConn, int, error) {
	env := childEnv(d.opts.HostEnv, a.cfg.Env)
	if err := checkCwd(a.cfg.Cwd); err != nil {
		return nil, 0, err
	}
	cmd, err := newCommand(a.cfg, env)
	if err != nil {
		return nil, 0, startHint(err, a.cfg.Command)
	}
	if a.cfg.Sandbox != nil {
		if cmd, err = d.sandboxes.command(ctx, cmd, a.cfg.Sandbox); err != nil {
			return nil, 0, err
		}
	}
	p, err := startProcess(cmd, a.log)
	if err != nil {
		return nil, 0, startHint(a.redact.err(err), a.cfg.Command)
	}
	d.running.add(p)
	c := newMCPConn(a.cfg.Name, a.log, a.redact)
	in := newFrames(p.stdout, a.cfg.MaxMessageBytes, a.log)
	t := transport.NewIO(in, childInput{p}, nil)
	c.use(t, era, d.opts.ClientVersion)
	c.shut = func(g grace, hurry <-chan struct{}) {
		// The transport goes last: its reader drains what a child still has to
		// say before it can exit.
		p.stop(g, hurry)
		d.running.remove(p)
		_ = t.Close()
	}
	c.spawn(func() { c.watchChild(p, in, a.log) })
	return c, p.pid(), nil
}

// childInput is the write end for mcp-go, which would otherwise close the pipe
// a second time.
type childInput struct{ p *process }

// Write marks a broken pipe as what it is on every system: the child is gone.
func (i childInput) Write(b []byte) (int, error) {
	n, err := i.p.stdin.Write(b)
	if err != nil {
		err = fmt.Errorf("%w: %w", transport.ErrTransportClosed, err)
	}
	return n, err
}

func (i childInput) Close() error {
	i.p.closeStdin()
	return nil
}

// watchChild ends the connection when the child exits or closes its output.
func (c *mcpConn) watchChild(p *process, in *frames, log *ring) {
	select {
	case <-p.exited:
	case <-in.ended:
	}
	// Both usually happen together; the last answers may still be in the pipe
	// when the child is gone, and the exit code is not known yet when the pipe
	// is closed.
	timer := time.NewTimer(2 * drainTime)
	defer timer.Stop()
	gone, ended := p.gone, in.ended
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
	case <-p.exited:
		c.fail(deathError(p.exitCause(), log, c.redact))
	default:
		c.fail(&exitedError{text: "it closed its output"})
	}
}

// deathError adds the last line of the log to the cause of a child's end.
func deathError(cause error, log *ring, redact *redactor) error {
	const longest = 300
	text := shown(redact, cause.Error())
	// It is cut when its secrets are out: half of one would not be found.
	if line := redact.log(strings.ToValidUTF8(log.lastLine(), "")); line != "" {
		text += "; it last printed: " + strings.ToValidUTF8(line[:min(len(line), longest)], "")
	}
	return &exitedError{text: text}
}

// checkCwd says in words of the configuration that a child cannot start in its
// folder, which the system blames on the program.
func checkCwd(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return &hintError{err: fmt.Errorf("start in its folder: %w", err), next: `Correct "cwd".`}
	}
	return nil
}

// startHint tells what to do about a program that cannot be started.
func startHint(err error, command string) error {
	if errors.Is(err, exec.ErrNotFound) {
		if strings.ContainsAny(command, `/\`) {
			return &hintError{err: fmt.Errorf("there is no program %q", command), next: `Correct "command".`}
		}
		return &hintError{err: err, next: fmt.Sprintf("Install %q, or give its full path as \"command\".", command)}
	}
	return fmt.Errorf("start %q: %w", command, err)
}
