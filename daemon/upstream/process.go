package upstream

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// grace is how long a child may take at each step of being stopped. The
// specification asks for these steps (lifecycle, "Shutdown", stdio): close the
// child's input, wait, terminate, wait, kill.
type grace struct {
	// input is the time after closing stdin.
	input time.Duration
	// term is the time after SIGTERM; there is no such step on Windows.
	term time.Duration
}

// gentleGrace is for a server that is restarted or removed: some close a
// browser or write a file first.
func gentleGrace() grace { return grace{input: 2 * time.Second, term: 2 * time.Second} }

// promptGrace is for the end of the daemon, which has two seconds in all.
func promptGrace() grace { return grace{input: 500 * time.Millisecond, term: 300 * time.Millisecond} }

// drainTime is how long the output of a child is still read after it exited;
// a grandchild outside the group could keep the pipe open for ever.
const drainTime = 250 * time.Millisecond

// process is one child with everything it started. It is stopped exactly once,
// by stop, which also runs the wait for it.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	group  processGroup

	// exited is closed when the child itself is gone and waited for; exitErr
	// is set before.
	exited  chan struct{}
	exitErr error
	// gone is closed when its descendants are gone too and all its output was
	// read or given up.
	gone chan struct{}

	closeInput sync.Once
}

// startProcess starts cmd in a group of its own with pipes on all three
// streams. What it writes to stderr is copied to log.
//
// The pipes are ours and not exec.Cmd's: Cmd.Wait would otherwise wait for
// every grandchild that inherited them.
func startProcess(cmd *exec.Cmd, log io.Writer) (*process, error) {
	p := &process{cmd: cmd, exited: make(chan struct{}), gone: make(chan struct{})}
	var theirs [3]*os.File
	closeAll := func(files ...*os.File) {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
	var err error
	if theirs[0], p.stdin, err = os.Pipe(); err == nil {
		if p.stdout, theirs[1], err = os.Pipe(); err == nil {
			p.stderr, theirs[2], err = os.Pipe()
		}
	}
	if err != nil {
		closeAll(theirs[0], theirs[1], theirs[2], p.stdin, p.stdout, p.stderr)
		return nil, fmt.Errorf("open pipes: %w", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err = p.group.start(cmd)
	closeAll(theirs[:]...)
	if err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return nil, err
	}
	go p.wait(log)
	return p, nil
}

// pid is the child's process id.
func (p *process) pid() int { return p.cmd.Process.Pid }

// wait owns the end of the child: it reaps it, kills what it left behind and
// releases the pipes.
func (p *process) wait(log io.Writer) {
	defer close(p.gone)
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		// The buffer is there for as long as the child: a file's own is large.
		_, _ = io.CopyBuffer(log, struct{ io.Reader }{p.stderr}, make([]byte, 2<<10))
	}()
	p.exitErr = p.cmd.Wait()
	close(p.exited)
	p.group.noteOrphans()
	p.group.kill()
	p.group.release()

	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-copied:
	case <-timer.C:
	}
	_ = p.stderr.Close()
	<-copied
	p.closeStdin()
}

// stop ends the child step by step and returns when it and its descendants are
// gone. hurry, when it is closed, skips the remaining waits of a gentle stop.
func (p *process) stop(g grace, hurry <-chan struct{}) {
	p.group.note()
	p.closeStdin()
	if !p.waitExit(g.input, hurry) {
		p.group.note()
		p.group.terminate()
		p.waitExit(g.term, hurry)
	}
	p.group.kill()
	<-p.gone
	_ = p.stdout.Close()
}

// waitExit waits for the child for at most d. When hurry is closed it goes on
// for a prompt grace only.
func (p *process) waitExit(d time.Duration, hurry <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-p.exited:
			return true
		case <-timer.C:
			return false
		case <-hurry:
			hurry = nil
			timer.Reset(min(d, promptGrace().term))
		}
	}
}

func (p *process) closeStdin() {
	p.closeInput.Do(func() { _ = p.stdin.Close() })
}

// exitCause describes how the child ended, for the user.
func (p *process) exitCause() error {
	if p.exitErr == nil {
		return errors.New("it exited (code 0)")
	}
	return fmt.Errorf("it exited: %w", p.exitErr)
}
