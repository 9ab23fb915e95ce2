package holder

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/socket"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// attempts is how often a guest tries to reach a holder: one may end just when it is
// found.
const attempts = 5

// ErrNewer is returned if the holder is of a newer version and admits no older guests.
var ErrNewer = errors.New("the processes of servers are held by a newer winnowd")

// ErrEnded is the cause of a child's end if the holder ended, not the program itself.
var ErrEnded = errors.New("the holder of its process has ended")

// Client connects to the holder, and starts one if none runs.
type Client struct {
	Place socket.Place
	// Command returns the command that starts a holder. It must print a line once guests
	// can connect, or exit.
	Command func() (*exec.Cmd, error)
}

// Wanted is the request of [Client.Open].
type Wanted struct {
	Spec Spec
	// Client is the visitor's name, for people.
	Client string
	// Not is the number of the child visited last; see [Child.ID]. With Fresh it is ended
	// for all guests and another one started; otherwise only if it does not respond.
	Not   uint64
	Fresh bool
	// Idle is how long the child is kept without guests.
	Idle time.Duration
}

// Child is a visit to a child. Its channels and methods resemble those of a
// [process.Process].
type Child struct {
	// ID is unique among the children of a holder.
	ID uint64
	// Exited is closed when the child or the holder is gone.
	Exited chan struct{}
	// Stdout is the child's output.
	Stdout *io.PipeReader

	pid   int
	conn  net.Conn
	cause error
	once  sync.Once
}

// Open visits a child, and starts it if it does not run. log receives the child's stderr.
func (c *Client) Open(ctx context.Context, w *Wanted, log io.Writer) (*Child, error) {
	asked := hello{Revision: revision, Do: doOpen, Spec: w.Spec, Client: w.Client, Not: w.Not, Fresh: w.Fresh, IdleMs: w.Idle.Milliseconds()}
	var err error
	for range attempts {
		var conn net.Conn
		if conn, err = c.reach(ctx); err != nil {
			return nil, err
		}
		in := bufio.NewReader(conn)
		var answer welcome
		if answer, err = greet(ctx, conn, in, asked); err == nil && answer.PID != 0 {
			read, write := io.Pipe()
			child := &Child{ID: answer.Child, Exited: make(chan struct{}), Stdout: read, pid: answer.PID, conn: conn}
			go child.read(in, write, log)
			return child, nil
		}
		_ = conn.Close()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case answer.Older:
			return nil, ErrNewer
		case answer.Error != "":
			return nil, errors.New(answer.Error)
		}
	}
	return nil, fmt.Errorf("the holder of servers' processes does not stay: %w", err)
}

// greet sends a hello and returns the response.
func greet(ctx context.Context, conn net.Conn, in *bufio.Reader, asked hello) (answer welcome, err error) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := conn.Write(append(encode(asked), '\n')); err != nil {
		return answer, err
	}
	line, err := readLine(in)
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(line, &answer)
}

// reach connects to the holder, and starts one if none runs.
func (c *Client) reach(ctx context.Context) (net.Conn, error) {
	for range attempts {
		conn, err := socket.Dial(c.Place, "")
		if err == nil {
			return conn, nil
		}
		if !errors.Is(err, socket.ErrNoDaemon) {
			return nil, err
		}
		if err := c.start(ctx); err != nil {
			return nil, fmt.Errorf("start the holder of servers' processes: %w", err)
		}
	}
	return nil, errors.New("the holder of servers' processes does not start")
}

// start starts a holder, and returns once it, or another one, can be reached.
func (c *Client) start(ctx context.Context) error {
	cmd, err := c.Command()
	if err != nil {
		return err
	}
	return Background(ctx, cmd)
}

// Failed is the prefix of the line in which a background program reports why it cannot
// work.
const Failed = "failed: "

// Background starts a program that outlives this process, and returns when it has printed
// a line or exited. The error is why it did not start, or what it printed after [Failed].
func Background(ctx context.Context, cmd *exec.Cmd) error {
	process.Detach(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	process.Leave(cmd.Process.Pid)
	ready := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		ready <- line
		_ = cmd.Wait() // avoids a zombie
	}()
	select {
	case line := <-ready:
		if why, failed := strings.CutPrefix(line, Failed); failed {
			return errors.New(strings.TrimSpace(why))
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read passes on what the holder sends.
func (c *Child) read(in *bufio.Reader, out *io.PipeWriter, log io.Writer) {
	c.cause = ErrEnded
	defer func() {
		close(c.Exited)
		_ = out.Close()
		_ = c.conn.Close()
	}()
	for {
		line, err := readLine(in)
		if err != nil {
			return
		}
		switch m, _ := parse(line); m.Method {
		case methodStderr:
			_, _ = io.WriteString(log, m.read().Data)
		case methodExited:
			c.cause = errors.New(m.read().Data)
		default:
			if _, err := out.Write(append(line, '\n')); err != nil {
				return
			}
		}
	}
}

// PID returns the child's process id.
func (c *Child) PID() int { return c.pid }

// ExitCause describes how the child ended.
func (c *Child) ExitCause() error { return c.cause }

// Write writes to the child.
func (c *Child) Write(b []byte) (int, error) { return c.conn.Write(b) }

// Leave ends the visit. If end is set, the child ends too unless it has other guests.
func (c *Child) Leave(end bool) {
	c.once.Do(func() {
		if end {
			_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = c.conn.Write(append(notice(methodEnd, struct{}{}), '\n'))
			select {
			case <-c.Exited: // the holder has closed its side
			case <-time.After(process.GentleGrace().Input + process.GentleGrace().Term):
			}
		}
		_ = c.conn.Close()
		_ = c.Stdout.Close()
	})
	<-c.Exited
}

// List returns the children of the holder, the oldest first; none if no holder runs.
func List(ctx context.Context, place socket.Place) ([]Process, error) {
	conn, err := socket.Dial(place, "")
	if errors.Is(err, socket.ErrNoDaemon) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	answer, err := greet(ctx, conn, bufio.NewReader(conn), hello{Revision: revision, Do: doList})
	return answer.Processes, err
}

// Stop ends the holder with all its children and waits for that. It returns false if none
// runs.
func Stop(ctx context.Context, place socket.Place) (bool, error) {
	conn, err := socket.Dial(place, "")
	if errors.Is(err, socket.ErrNoDaemon) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	if _, err := greet(ctx, conn, bufio.NewReader(conn), hello{Revision: revision, Do: doStop}); err != nil && ctx.Err() != nil {
		return true, context.Cause(ctx)
	}
	return true, nil
}
